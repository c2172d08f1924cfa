import type { ReactElement } from 'react';
import { alertRulesPath } from '../../alerts/alert-rules-path.ts';
import { useApiMutation } from '../../api/queries.ts';
import { useIdempotencyKey } from '../../clients/idempotency-key.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import pageClasses from '../../components/form-page.module.css';
import { FormFailure, FormSummary, useForm } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { Page } from '../../components/page.tsx';
import { navigateSaved, useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { alerts } from '#messages/alerts.ts';
import { components } from '#messages/components.ts';
import { usePermission } from '../../session/session-context.ts';
import {
  bodyOf,
  checkDraft,
  emptyAlertRuleDraft,
  isSameContent,
  placeOfProblem,
} from './alert-rule-draft.ts';
import { AlertRuleFields, fieldLabels } from './alert-rule-fields.tsx';

const t = alerts.form;

/** Adds an alert rule. */
export function AddAlertRulePage(): ReactElement {
  const mayAdd = usePermission('alerts:write');
  return (
    <Page title={t.addTitle} back={{ to: alertRulesPath, label: t.back }}>
      {mayAdd ? (
        <AddForm />
      ) : (
        <Notice tone="warning" title={t.mayNotTitle}>
          {components.mayNot('alerts:write')}
        </Notice>
      )}
    </Page>
  );
}

function AddForm(): ReactElement {
  const add = useApiMutation('addAlertRule');
  const idempotencyKeyFor = useIdempotencyKey();
  const form = useForm({
    id: 'alert-rule',
    initialValues: emptyAlertRuleDraft,
    labels: fieldLabels,
    validate: checkDraft,
    place: placeOfProblem,
  });
  useUnsavedGuard(!isSameContent(form.values, emptyAlertRuleDraft));
  const submit = form.submit(async (values) => {
    const body = bodyOf(values);
    await add.mutateAsync({ body, idempotencyKey: idempotencyKeyFor(body) });
    notify.success(t.added);
    navigateSaved(alertRulesPath);
  });
  return (
    <form className={pageClasses.form} onSubmit={submit} noValidate>
      <FormSummary {...form.summary} />
      <AlertRuleFields form={form} />
      <FormFailure error={form.failure} />
      <FormFooter action={t.add} isBusy={add.isPending} blocked={undefined} cancelPath={alertRulesPath} />
    </form>
  );
}

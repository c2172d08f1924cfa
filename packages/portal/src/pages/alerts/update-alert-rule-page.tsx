import type { AlertRule } from '@countersign/contract';
import { type ReactElement, useState } from 'react';
import { useParams } from 'wouter';
import { alertRulesPath } from '../../alerts/alert-rules-path.ts';
import { api, type Entity } from '../../api/api.ts';
import { isApiError } from '../../api/api-error.ts';
import { useApiMutation, useEntityQuery } from '../../api/queries.ts';
import { useConflictSaving } from '../../api/use-conflict-saving.ts';
import { ConflictDialog, type ConflictField } from '../../components/conflict-dialog.tsx';
import { FormFooter } from '../../components/form-footer.tsx';
import pageClasses from '../../components/form-page.module.css';
import { FormFailure, FormSummary, useForm } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { navigateSaved, useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { alertWords } from '#messages/alert-words.ts';
import { alerts } from '#messages/alerts.ts';
import { components } from '#messages/components.ts';
import { usePermission } from '../../session/session-context.ts';
import {
  type AlertRuleBody,
  bodyOf,
  checkDraft,
  draftOf,
  isSameContent,
  placeOfProblem,
} from './alert-rule-draft.ts';
import { AlertRuleFields, fieldLabels } from './alert-rule-fields.tsx';
import { RemoveRuleButton } from './remove-rule-button.tsx';

const t = alerts.form;

/** Changes or deletes an alert rule. */
export function UpdateAlertRulePage(): ReactElement {
  const { alertRuleId } = useParams<{ readonly alertRuleId: string }>();
  const mayChange = usePermission('alerts:write');
  const query = useEntityQuery('getAlertRule', { path: { alertRuleId } });
  // The form keeps its initial values: others' changes show up when it is saved.
  const [first, setFirst] = useState(query.data);
  if (first === undefined && query.data !== undefined) setFirst(query.data);
  return (
    <Page
      title={t.updateTitle}
      back={{ to: alertRulesPath, label: t.back }}
      actions={mayChange && first && <RemoveRuleButton entity={first} />}
    >
      {mayChange ? (
        <QueryState query={{ ...query, data: first }}>
          {(entity) => <UpdateForm key={entity.entityTag} entity={entity} onTakeTheirs={setFirst} />}
        </QueryState>
      ) : (
        <Notice tone="warning" title={t.mayNotTitle}>
          {components.mayNot('alerts:write')}
        </Notice>
      )}
    </Page>
  );
}

interface UpdateFormProps {
  readonly entity: Entity<AlertRule>;
  readonly onTakeTheirs: (entity: Entity<AlertRule>) => void;
}

function UpdateForm({ entity: { body: rule, entityTag }, onTakeTheirs }: UpdateFormProps): ReactElement {
  const path = { alertRuleId: rule.alertRuleId };
  const update = useApiMutation('updateAlertRule');
  const [theirs, setTheirs] = useState<Entity<AlertRule>>();
  const saved = draftOf(rule);
  const form = useForm({
    id: 'alert-rule',
    initialValues: saved,
    labels: fieldLabels,
    validate: checkDraft,
    place: placeOfProblem,
  });
  const isChanged = !isSameContent(form.values, saved);
  useUnsavedGuard(isChanged);
  const saving = useConflictSaving<AlertRuleBody, AlertRuleBody>(entityTag, {
    async write(mine, ifMatch) {
      try {
        await update.mutateAsync({ path, body: mine, ifMatch });
      } catch (error) {
        if (isApiError(error, 'precondition_failed')) throw error;
        return form.refuse(error);
      }
      notify.success(t.updated);
      navigateSaved(alertRulesPath);
    },
    async readTheirs() {
      const current = await api.callWithEntityTag('getAlertRule', { path });
      setTheirs(current);
      return { ...current, body: bodyOf(draftOf(current.body)) };
    },
  });
  const content = bodyOf(form.values);
  return (
    <form className={pageClasses.form} onSubmit={form.submit(() => saving.save(content))} noValidate>
      <FormSummary {...form.summary} />
      <AlertRuleFields form={form} />
      <FormFailure error={form.failure ?? saving.error} />
      <FormFooter
        action={t.update}
        isBusy={saving.isBusy}
        blocked={isChanged ? undefined : t.nothingChanged}
        cancelPath={alertRulesPath}
      />
      <ConflictDialog<AlertRuleBody>
        mine={content}
        saving={saving}
        fields={conflictFields}
        onTakeTheirs={() => theirs && onTakeTheirs(theirs)}
      />
    </form>
  );
}

const conflictFields: readonly ConflictField<AlertRuleBody>[] = [
  { label: t.name, show: ({ name }) => name },
  { label: t.sentence, show: ({ condition, clientId }) => alertWords.rule(condition, clientId ?? undefined) },
  {
    label: t.tell,
    show: ({ channels }) =>
      (['inInbox', 'byMail', 'byWebhook'] as const)
        .filter((channel) => channels[channel])
        .map((channel) => alerts.channelNames[channel])
        .join(', '),
  },
  { label: t.isEnabled, show: ({ isEnabled }) => (isEnabled ? t.yes : t.no) },
];

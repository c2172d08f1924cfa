import type { Webhook } from '@countersign/contract';
import { type ReactElement, useState } from 'react';
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
import { components } from '#messages/components.ts';
import { webhooks } from '#messages/webhooks.ts';
import { usePermission } from '../../session/session-context.ts';
import { webhookPath } from '../../webhooks/webhook-path.ts';
import { useWebhookId } from './use-webhook.ts';
import {
  bodyOf,
  checkDraft,
  contentOf,
  draftOf,
  isSameContent,
  placeOfProblem,
  type WebhookContent,
} from './webhook-draft.ts';
import { fieldLabels, WebhookFields } from './webhook-fields.tsx';

const t = webhooks.form;

/** Changes a webhook's URL, events and delivery. */
export function UpdateWebhookPage(): ReactElement {
  const webhookId = useWebhookId();
  const mayChange = usePermission('webhooks:write');
  const query = useEntityQuery('getWebhook', { path: { webhookId } });
  // The form keeps its initial values: others' changes show up when it is saved.
  const [first, setFirst] = useState(query.data);
  if (first === undefined && query.data !== undefined) setFirst(query.data);
  return (
    <Page title={t.updateTitle} back={{ to: webhookPath(webhookId), label: webhooks.webhook }}>
      {mayChange ? (
        <QueryState query={{ ...query, data: first }}>
          {(entity) => <UpdateForm key={entity.entityTag} entity={entity} onTakeTheirs={setFirst} />}
        </QueryState>
      ) : (
        <Notice tone="warning" title={t.mayNotTitle}>
          {components.mayNot('webhooks:write')}
        </Notice>
      )}
    </Page>
  );
}

interface UpdateFormProps {
  readonly entity: Entity<Webhook>;
  readonly onTakeTheirs: (entity: Entity<Webhook>) => void;
}

function UpdateForm({ entity: { body: webhook, entityTag }, onTakeTheirs }: UpdateFormProps): ReactElement {
  const path = { webhookId: webhook.webhookId };
  const update = useApiMutation('updateWebhook');
  const [theirs, setTheirs] = useState<Entity<Webhook>>();
  const saved = draftOf(webhook);
  const form = useForm({
    id: 'webhook',
    initialValues: saved,
    labels: fieldLabels,
    validate: (values) => checkDraft(values, webhook.url),
    place: placeOfProblem,
  });
  const isChanged = !isSameContent(form.values, saved);
  useUnsavedGuard(isChanged);
  const saving = useConflictSaving<WebhookContent, WebhookContent>(entityTag, {
    async write(mine, ifMatch) {
      try {
        await update.mutateAsync({ path, body: bodyOf(mine), ifMatch });
      } catch (error) {
        if (isApiError(error, 'precondition_failed')) throw error;
        return form.refuse(error);
      }
      notify.success(t.updated);
      navigateSaved(webhookPath(webhook.webhookId));
    },
    async readTheirs() {
      const current = await api.callWithEntityTag('getWebhook', { path });
      setTheirs(current);
      return { ...current, body: contentOf(draftOf(current.body)) };
    },
  });
  const content = contentOf(form.values, webhook);
  return (
    <form className={pageClasses.form} onSubmit={form.submit(() => saving.save(content))} noValidate>
      <FormSummary {...form.summary} />
      <WebhookFields form={form} />
      <FormFailure error={form.failure ?? saving.error} />
      <FormFooter
        action={t.update}
        isBusy={saving.isBusy}
        blocked={isChanged ? undefined : t.nothingChanged}
        cancelPath={webhookPath(webhook.webhookId)}
      />
      <ConflictDialog<WebhookContent>
        mine={content}
        saving={saving}
        fields={conflictFields}
        onTakeTheirs={() => theirs && onTakeTheirs(theirs)}
      />
    </form>
  );
}

const yesOrNo = (value: boolean): string => (value ? t.yes : t.no);

const conflictFields: readonly ConflictField<WebhookContent>[] = [
  { label: t.url, show: ({ url }) => url },
  { label: t.description, show: ({ description }) => description },
  { label: t.events, show: ({ eventTypes }) => eventTypes?.join(', ') ?? t.all },
  { label: t.headers, show: ({ headerNames }) => headerNames.join(', ') },
  { label: t.attemptsPerMinute, show: ({ attemptsPerMinuteMax }) => attemptsPerMinuteMax ?? '' },
  { label: t.isOrdered, show: ({ isOrdered }) => yesOrNo(isOrdered) },
  { label: t.isForAllAccounts, show: ({ isForAllAccounts }) => yesOrNo(isForAllAccounts) },
];

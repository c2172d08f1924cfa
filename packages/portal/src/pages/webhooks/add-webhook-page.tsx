import type { Webhook } from '@countersign/contract';
import { type ReactElement, useState } from 'react';
import { Redirect } from 'wouter';
import { useApiMutation } from '../../api/queries.ts';
import { useIdempotencyKey } from '../../clients/idempotency-key.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import pageClasses from '../../components/form-page.module.css';
import { FormFailure, FormSummary, useForm } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { navigateSaved, useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useParameters } from '../../components/use-raw-search.ts';
import { components } from '#messages/components.ts';
import { webhooks } from '#messages/webhooks.ts';
import { usePermission } from '../../session/session-context.ts';
import { webhookPath, webhooksPath } from '../../webhooks/webhook-path.ts';
import { AddedWebhook } from './added-webhook.tsx';
import {
  bodyOf,
  checkDraft,
  contentOf,
  emptyWebhookDraft,
  isSameContent,
  placeOfProblem,
} from './webhook-draft.ts';
import { fieldLabels, WebhookFields } from './webhook-fields.tsx';

const t = webhooks.form;

/** Add webhook. With `?added=` in the address, shows the webhook that was added, with its secret. */
export function AddWebhookPage(): ReactElement {
  const addedId = useParameters()[0].get('added');
  const mayAdd = usePermission('webhooks:write');
  const [added, setAdded] = useState<Webhook>();
  if (addedId !== null) {
    // The secret is nowhere but in this page.
    if (added?.webhookId !== addedId) return <Redirect to={webhookPath(addedId)} replace />;
    return <AddedWebhook webhook={added} />;
  }
  const show = (webhook: Webhook): void => {
    setAdded(webhook);
    const query = new URLSearchParams({ added: webhook.webhookId }).toString();
    navigateSaved(`${webhooksPath}/new?${query}`, { replace: true });
  };
  return mayAdd ? <AddForm onAdded={show} /> : <MayNotAdd />;
}

function MayNotAdd(): ReactElement {
  return (
    <Page title={t.addTitle} back={{ to: webhooksPath, label: t.back }}>
      <Notice tone="warning" title={t.mayNotTitle}>
        {components.mayNot('webhooks:write')}
      </Notice>
    </Page>
  );
}

function AddForm({ onAdded }: { readonly onAdded: (webhook: Webhook) => void }): ReactElement {
  const add = useApiMutation('addWebhook');
  const idempotencyKeyFor = useIdempotencyKey();
  const form = useForm({
    id: 'webhook',
    initialValues: emptyWebhookDraft,
    labels: fieldLabels,
    validate: (values) => checkDraft(values),
    place: placeOfProblem,
  });
  useUnsavedGuard(!isSameContent(form.values, emptyWebhookDraft));
  const submit = form.submit(async (values) => {
    const { headers, ...others } = bodyOf(contentOf(values));
    // Nothing is stored that null could remove.
    const body = { ...others, headers: headers as Readonly<Record<string, string>> };
    onAdded(await add.mutateAsync({ body, idempotencyKey: idempotencyKeyFor(body) }));
  });
  return (
    <Page title={t.addTitle} description={t.addDescription} back={{ to: webhooksPath, label: t.back }}>
      <form className={pageClasses.form} onSubmit={submit} noValidate>
        <FormSummary {...form.summary} />
        <WebhookFields form={form} />
        <FormFailure error={form.failure} />
        <FormFooter action={t.add} isBusy={add.isPending} blocked={undefined} cancelPath={webhooksPath} />
      </form>
    </Page>
  );
}

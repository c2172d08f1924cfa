import { type FormEvent, type ReactElement, useState } from 'react';
import { useSearch } from 'wouter';
import { AddedClientPage } from './added-client-page.tsx';
import type { Client } from '@countersign/contract';
import { useApiMutation } from '../../api/queries.ts';
import { BackLink, Page } from '../../components/page.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormSummary } from '../../components/form-summary.tsx';
import { emptyKeyInputState, type KeyInputState } from '../../components/key-input/read-key-text.ts';
import { navigateSaved, useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { ClientFields, FormFooter, PublicKeySection } from './form/client-fields.tsx';
import {
  checkForm,
  type ClientForm,
  clientFormChanges,
  type ClientFormErrors,
  clientRequestOf,
  emptyClientForm,
  isFaultless,
  summaryOf,
} from './form/client-form.ts';
import classes from './form/form-page.module.css';
import { useIdempotencyKey } from './form/idempotency-key.ts';
import { useFormErrors } from './form/use-form-errors.ts';

/** Add client; and after it, with `?added=` in the address, the client that was added. */
export default function AddClientPage(): ReactElement {
  const clientId = new URLSearchParams(useSearch()).get('added');
  return clientId ? <AddedClientPage clientId={clientId} /> : <AddClientForm />;
}

const listPath = '/integrations/api-keys';

/** Registers a client. */
function AddClientForm(): ReactElement {
  const t = useMessages('apiKeys').form;
  const blockers = useMessages('keyInput').blockers;
  const mayAddKeys = usePermission('keys:write');
  const model = useAddClient();
  const { form, key, errors, refusal } = model;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void model.submit();
  };
  return (
    <Page
      title={t.addTitle}
      description={t.addDescription}
      before={<BackLink to={listPath}>{t.back}</BackLink>}
    >
      <form className={classes.form} onSubmit={submit} noValidate>
        <FormSummary errors={summaryOf(errors)} attempt={model.attempt} />
        <ClientFields
          form={form}
          onChange={model.setForm}
          draft={model.draft}
          onDraftChange={model.setDraft}
          errors={errors}
          publicKey={
            mayAddKeys && (
              <PublicKeySection name={form.name} onChange={model.setKey} error={errors.fields.publicKey} />
            )
          }
        />
        {refusal !== undefined && <ErrorNotice error={refusal} />}
        <FormFooter
          action={t.add}
          isBusy={model.isBusy}
          blocked={key.blocker && blockers[key.blocker]}
          cancelPath={listPath}
        />
      </form>
      <ConfirmDialog
        opened={model.isAskingAboutKey}
        onClose={model.closeQuestion}
        title={t.withoutKey.title}
        confirmLabel={t.withoutKey.confirm}
        onConfirm={model.send}
      >
        {t.withoutKey.text}
      </ConfirmDialog>
    </Page>
  );
}

interface AddClientModel {
  readonly form: ClientForm;
  readonly setForm: (form: ClientForm) => void;
  readonly draft: string;
  readonly setDraft: (draft: string) => void;
  readonly key: KeyInputState;
  readonly setKey: (key: KeyInputState) => void;
  readonly errors: ClientFormErrors;
  readonly refusal: unknown;
  /** Grows with each attempt that was not sent or was refused. */
  readonly attempt: number;
  readonly isBusy: boolean;
  readonly isAskingAboutKey: boolean;
  readonly closeQuestion: () => void;
  readonly submit: () => Promise<void>;
  readonly send: () => Promise<void>;
}

function useAddClient(): AddClientModel {
  const t = useMessages('apiKeys').form;
  const mayAddKeys = usePermission('keys:write');
  const addClient = useApiMutation('addClient');
  const idempotencyKeyFor = useIdempotencyKey();
  const [form, setForm] = useState(emptyClientForm);
  const [draft, setDraft] = useState('');
  const [key, setKey] = useState(emptyKeyInputState);
  const { errors, refusal, attempt, clear, fail, refuse } = useFormErrors();
  const [isAskingAboutKey, setIsAskingAboutKey] = useState(false);
  const changes = clientFormChanges(form, emptyClientForm);
  useUnsavedGuard(changes.client || changes.network || draft !== '' || key.isDirty);

  const send = async (): Promise<void> => {
    const body = clientRequestOf(form, key.key?.publicKeyPem);
    clear();
    const result = await addClient
      .mutateAsync({ body, idempotencyKey: idempotencyKeyFor(body) })
      .catch((error: unknown) => ({ error }));
    if (isClient(result)) return navigateSaved(addedPath(result.clientId), { replace: true });
    refuse(result.error, form);
  };
  const submit = async (): Promise<void> => {
    if (addClient.isPending || key.blocker !== undefined) return;
    const found = checkForm(form, draft, t);
    if (!isFaultless(found)) return fail(found);
    if (mayAddKeys && key.key === undefined) return setIsAskingAboutKey(true);
    await send();
  };
  return {
    form,
    setForm,
    draft,
    setDraft,
    key,
    setKey,
    errors,
    refusal,
    attempt,
    isBusy: addClient.isPending,
    isAskingAboutKey,
    closeQuestion: () => setIsAskingAboutKey(false),
    submit,
    send,
  };
}

function isClient(result: Client | { readonly error: unknown }): result is Client {
  return 'clientId' in result;
}

function addedPath(clientId: string): string {
  return `${listPath}/new?added=${encodeURIComponent(clientId)}`;
}

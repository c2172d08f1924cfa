import { type ReactElement, Suspense, useState } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { useIdempotencyKey } from '../../clients/idempotency-key.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FormFailure, FormSummary, useForm } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { navigateSaved, useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { useParameters } from '../../components/use-raw-search.ts';
import { apiKeys } from '#messages/api-keys.ts';
import { components } from '#messages/components.ts';
import { keyBlockers } from '#messages/key-blockers.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { usePermission } from '../../session/session-context.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { ClientFields, PublicKeySection } from './form/client-fields.tsx';
import { checkForm, clientRequestOf, emptyClientForm, mistakesOfRefusal } from './form/client-form.ts';
import { clientFormWords } from './form/client-form-words.ts';
import { changedMembers } from './form/client-merge.ts';
import classes from '../../components/form-page.module.css';

const t = apiKeys.form;

const listPath = '/integrations/api-keys';

const AddedClientPage = lazyPart(async () => (await import('./added-client-page.tsx')).AddedClientPage);

/** Add client. With `?added=` in the address, shows the client that was added. */
export default function AddClientPage(): ReactElement {
  const clientId = useParameters()[0].get('added');
  const mayAdd = usePermission('clients:write');
  if (clientId) {
    return (
      <Suspense fallback={null}>
        <AddedClientPage clientId={clientId} />
      </Suspense>
    );
  }
  return mayAdd ? <AddClientForm /> : <MayNotAdd />;
}

function MayNotAdd(): ReactElement {
  return (
    <Page title={t.addTitle} back={{ to: listPath, label: t.back }}>
      <Notice tone="warning" title={t.mayNotTitle}>
        {components.mayNot('clients:write')}
      </Notice>
    </Page>
  );
}

function AddClientForm(): ReactElement {
  const mayAddKeys = usePermission('keys:write');
  const addClient = useApiMutation('addClient');
  const idempotencyKeyFor = useIdempotencyKey();
  const [isAskingAboutKey, setIsAskingAboutKey] = useState(false);
  const form = useForm({
    id: 'client',
    initialValues: emptyClientForm,
    validate: (values) => checkForm(values, clientFormWords),
    place: mistakesOfRefusal,
  });
  const { publicKey, keyEnd, draft } = form.values;
  const isChanged = changedMembers(form.values, emptyClientForm).length > 0;
  useUnsavedGuard(isChanged || draft !== '' || keyEnd !== '' || publicKey.isDirty);
  const send = async (): Promise<void> => {
    const body = clientRequestOf(form.values, publicKey, keyEnd);
    const { clientId } = await addClient.mutateAsync({ body, idempotencyKey: idempotencyKeyFor(body) });
    navigateSaved(`${listPath}/new?added=${encodeURIComponent(clientId)}`, { replace: true });
  };
  const submit = form.submit(() => {
    if (publicKey.blocker !== undefined) return undefined;
    return mayAddKeys && publicKey.key === undefined ? setIsAskingAboutKey(true) : send();
  });
  return (
    <Page title={t.addTitle} description={t.addDescription} back={{ to: listPath, label: t.back }}>
      <form className={classes.form} onSubmit={submit} noValidate>
        <FormSummary {...form.summary} />
        <ClientFields
          form={form}
          publicKey={mayAddKeys && <PublicKeySection form={form} description={t.publicKeyDescription} />}
        />
        <FormFailure error={form.failure} />
        <FormFooter
          action={t.add}
          isBusy={addClient.isPending}
          blocked={publicKey.blocker && keyBlockers[publicKey.blocker]}
          cancelPath={listPath}
        />
      </form>
      <ConfirmDialog
        opened={isAskingAboutKey}
        onClose={() => setIsAskingAboutKey(false)}
        title={t.withoutKey.title}
        confirmLabel={t.withoutKey.confirm}
        onConfirm={() => send().catch(form.refuse)}
      >
        {t.withoutKey.text}
      </ConfirmDialog>
    </Page>
  );
}

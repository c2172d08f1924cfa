import type { FormEvent, ReactElement, ReactNode } from 'react';
import { useEntityQuery } from '../../api/queries.ts';
import { BackLink, Page } from '../../components/page.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { messagesOf, useMessages } from '../../messages/messages.ts';
import { clientPath } from '../../clients/client-path.ts';
import { useClientId } from '../../clients/client-view.ts';
import type { Client, NetworkWhitelistContent } from '@countersign/contract';
import type { Entity } from '../../api/api.ts';
import { ConflictDialog, type ConflictField } from '../../components/conflict-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FieldHint } from '../../components/field-hint.tsx';
import { FormSummary } from '../../components/form-summary.tsx';
import { usePermission } from '../../session/session-context.ts';
import { ClientFields, FormFooter, PresentKeys, PublicKeySection } from './form/client-fields.tsx';
import { type ClientForm, summaryOf } from './form/client-form.ts';
import classes from './form/form-page.module.css';
import { useUpdateClient } from './form/use-update-client.ts';

/** Update: changes a client that there is. */
export default function UpdateClientPage(): ReactElement {
  const t = useMessages('apiKeys').form;
  const clientId = useClientId();
  const client = useEntityQuery('getClient', { path: { clientId } });
  const whitelist = useEntityQuery('getNetworkWhitelist', { path: { clientId } });
  const name = client.data?.body.name;
  return (
    <Page
      title={t.updateTitle}
      description={name && t.updateDescription(name)}
      before={<BackLink to={clientPath(clientId)}>{name ?? t.back}</BackLink>}
    >
      <QueryState query={client}>
        {(known) => (
          <QueryState query={whitelist}>
            {(network) =>
              known.body.status === 'revoked' ? (
                <Notice tone="warning">{t.gone}</Notice>
              ) : (
                <UpdateClientForm key={clientId} client={known} whitelist={network} />
              )
            }
          </QueryState>
        )}
      </QueryState>
    </Page>
  );
}

/** What the form begins with. */
interface UpdateClientFormProps {
  readonly client: Entity<Client>;
  readonly whitelist: Entity<NetworkWhitelistContent>;
}

/** Changes name, network, roles and settings of a client, and gives it a key when it has none. */
function UpdateClientForm({ client, whitelist }: UpdateClientFormProps): ReactElement {
  const t = useMessages('apiKeys').form;
  const blockers = useMessages('keyInput').blockers;
  const mayAddKeys = usePermission('keys:write');
  const model = useUpdateClient(client, whitelist);
  const { clientId, keys } = client.body;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void model.submit();
  };
  const blocker = model.key.blocker && blockers[model.key.blocker];
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <FormSummary errors={summaryOf(model.errors)} attempt={model.attempt} />
      <ClientFields
        clientId={clientId}
        form={model.form}
        onChange={model.setForm}
        draft={model.draft}
        onDraftChange={model.setDraft}
        errors={model.errors}
        publicKey={
          keys.length > 0 || !mayAddKeys ? (
            <PresentKeys clientId={clientId} keys={keys} />
          ) : (
            <PublicKeySection
              name={model.form.name}
              description={t.publicKeyMissingUpdate}
              onChange={model.setKey}
              error={model.errors.fields.publicKey}
            />
          )
        }
      />
      {model.refusal !== undefined && (
        <>
          {model.isPartlySaved && <FieldHint tone="warning">{t.partly}</FieldHint>}
          <ErrorNotice error={model.refusal} />
        </>
      )}
      <FormFooter
        action={t.update}
        isBusy={model.isBusy}
        blocked={blocker ?? (model.isChanged ? undefined : t.nothingChanged)}
        cancelPath={clientPath(clientId)}
      />
      <ConflictDialog
        mine={model.conflict === undefined ? undefined : model.form}
        theirs={model.conflict?.theirs}
        fields={conflictFields(t)}
        onKeepMine={() => void model.keepMine()}
        onTakeTheirs={model.takeTheirs}
        onClose={model.closeConflict}
        isBusy={model.isBusy}
      />
    </form>
  );
}

/** How two versions of a client are shown side by side. */
function conflictFields(words: {
  readonly name: string;
  readonly roles: string;
  readonly allowExplanations: string;
  readonly acceptWithoutDate: string;
  readonly yes: string;
  readonly no: string;
}): readonly ConflictField<ClientForm>[] {
  const yesOrNo = (value: boolean): string => (value ? words.yes : words.no);
  return [
    { label: words.name, show: ({ name }) => name },
    {
      label: messagesOf('networkEditor').title,
      show: ({ network }) =>
        lines(network.map(({ entry, label }) => (label === '' ? entry : `${entry} (${label})`))),
      compare: ({ network }) =>
        network
          .map(({ entry, label }) => `${entry} ${label}`)
          .toSorted()
          .join('\n'),
    },
    {
      label: words.roles,
      show: ({ roles }) => lines(roles),
      compare: ({ roles }) => roles.toSorted().join('\n'),
    },
    { label: words.allowExplanations, show: ({ allowExplanations }) => yesOrNo(allowExplanations) },
    { label: words.acceptWithoutDate, show: ({ acceptWithoutDate }) => yesOrNo(acceptWithoutDate) },
  ];
}

function lines(texts: readonly string[]): ReactNode {
  return texts.length > 0 && texts.map((text) => <div key={text}>{text}</div>);
}

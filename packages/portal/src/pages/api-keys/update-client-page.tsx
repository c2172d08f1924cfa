import type { Client, NetworkWhitelistContent } from '@countersign/contract';
import type { ReactElement, ReactNode } from 'react';
import type { Entity } from '../../api/api.ts';
import { useApiQuery, useEntityQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import { useClientId } from '../../clients/client-view.ts';
import { ConflictDialog, type ConflictField } from '../../components/conflict-dialog.tsx';
import { FormFailure, FormSummary } from '../../components/form.tsx';
import { FieldHint, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { apiKeys } from '#messages/api-keys.ts';
import { components } from '#messages/components.ts';
import { keyInput } from '#messages/key-input.ts';
import { messageProfiles } from '#messages/message-profiles.ts';
import { networkEditor } from '#messages/network-editor.ts';
import { usePermission } from '../../session/session-context.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { ClientFields, PresentKeys, PublicKeySection } from './form/client-fields.tsx';
import type { ClientContent } from './form/client-form.ts';
import classes from '../../components/form-page.module.css';
import { useUpdateClient } from './form/use-update-client.ts';

const t = apiKeys.form;

/** Update: changes an existing client. */
export default function UpdateClientPage(): ReactElement {
  const clientId = useClientId();
  const client = useEntityQuery('getClient', { path: { clientId } });
  const whitelist = useEntityQuery('getNetworkWhitelist', { path: { clientId } });
  const name = client.data?.body.name;
  const mayChange = usePermission('clients:write');
  return (
    <Page
      title={t.updateTitle}
      description={name && t.updateDescription(name)}
      back={{ to: clientPath(clientId), label: name ?? t.back }}
    >
      <QueryState query={client}>
        {(known) => (
          <QueryState query={whitelist}>
            {(network) =>
              !mayChange ? (
                <Notice tone="warning" title={t.mayNotTitle}>
                  {components.mayNot('clients:write')}
                </Notice>
              ) : known.body.status === 'revoked' ? (
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

interface UpdateClientFormProps {
  readonly client: Entity<Client>;
  readonly whitelist: Entity<NetworkWhitelistContent>;
}

/** Changes name, network, roles and settings. A client without a key can get one. */
function UpdateClientForm({ client, whitelist }: UpdateClientFormProps): ReactElement {
  const blockers = keyInput.blockers;
  const mayAddKeys = usePermission('keys:write');
  const { form, submit, saving, takeTheirs, isChanged, isPartlySaved } = useUpdateClient(client, whitelist);
  const { clientId, keys, profile } = client.body;
  const { blocker } = form.values.publicKey;
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <FormSummary {...form.summary} />
      <ClientFields
        clientId={clientId}
        savedProfile={profile}
        form={form}
        publicKey={
          keys.length > 0 || !mayAddKeys ? (
            <PresentKeys clientId={clientId} keys={keys} />
          ) : (
            <PublicKeySection form={form} description={t.publicKeyMissingUpdate} />
          )
        }
      />
      {form.failure !== undefined && isPartlySaved && <FieldHint tone="warning">{t.partly}</FieldHint>}
      <FormFailure error={form.failure} />
      <FormFooter
        action={t.update}
        isBusy={saving.isBusy}
        blocked={blocker ? blockers[blocker] : isChanged ? undefined : t.nothingChanged}
        cancelPath={clientPath(clientId)}
      />
      <ConflictDialog<ClientContent>
        mine={form.values}
        saving={saving}
        fields={useConflictFields()}
        onTakeTheirs={takeTheirs}
      />
    </form>
  );
}

function useConflictFields(): readonly ConflictField<ClientContent>[] {
  const network = networkEditor.title;
  const profiles = useApiQuery('listProfiles').data?.data;
  const yesOrNo = (value: boolean): string => (value ? t.yes : t.no);
  return [
    { label: t.name, show: ({ name }) => name },
    {
      label: network,
      show: (content) =>
        lines(content.network.map(({ entry, label }) => (label === '' ? entry : `${entry} (${label})`))),
      compare: (content) =>
        content.network
          .map(({ entry, label }) => `${entry} ${label}`)
          .toSorted()
          .join('\n'),
    },
    {
      label: t.roles,
      show: ({ roles }) => lines(roles),
      compare: ({ roles }) => roles.toSorted().join('\n'),
    },
    { label: t.allowExplanations, show: ({ allowExplanations }) => yesOrNo(allowExplanations) },
    {
      label: messageProfiles.title,
      show: ({ profile }) => profiles?.find(({ name }) => name === profile)?.title ?? profile,
    },
  ];
}

function lines(texts: readonly string[]): ReactNode {
  return texts.length > 0 && texts.map((text) => <div key={text}>{text}</div>);
}

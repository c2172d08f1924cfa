import type { Client, NetworkWhitelistContent } from '@countersign/contract';
import { type ReactElement, type ReactNode, useEffect } from 'react';
import type { Entity } from '../../api/api.ts';
import { useApiQuery, useEntityQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import { useClientId } from '../../clients/client-view.ts';
import { ConflictDialog, type ConflictField } from '../../components/conflict-dialog.tsx';
import { FormFailure, FormSummary } from '../../components/form.tsx';
import { FieldHint, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { apiKeys } from '#messages/api-keys.ts';
import { clientLabels } from '#messages/client-labels.ts';
import { clientLimits } from '#messages/client-limits.ts';
import { components } from '#messages/components.ts';
import { keyBlockers } from '#messages/key-blockers.ts';
import { messageProfiles } from '#messages/message-profiles.ts';
import { networkEditor } from '#messages/network-editor.ts';
import { usePermission } from '../../session/session-context.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { ClientFields, PresentKeys, PublicKeySection } from './form/client-fields.tsx';
import type { ClientContent } from './form/client-form.ts';
import type { ClientMember } from './form/client-merge.ts';
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
      hasFirstField
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
  const mayAddKeys = usePermission('keys:write');
  const allowed = useParameters()[0].get('allow') ?? undefined;
  const update = useUpdateClient(client, whitelist, allowed);
  const { form, submit, saving, isChanged, isPartlySaved } = update;
  const { clientId, keys, profile } = client.body;
  const { blocker } = form.values.publicKey;
  const fields = useConflictFields();
  useFragmentFocus();
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
        blocked={blocker ? keyBlockers[blocker] : isChanged ? undefined : t.nothingChanged}
        cancelPath={clientPath(clientId)}
      />
      <ConflictDialog<ClientContent>
        mine={form.values}
        saving={saving}
        fields={update.conflicts.map((member) => fields[member])}
        onTakeTheirs={update.takeTheirs}
        text={t.conflictText}
      />
    </form>
  );
}

/** Brings the field into view that the address names, such as `#client-roles`, and gives it the focus if it takes any. */
function useFragmentFocus(): void {
  useEffect(() => {
    const field = document.getElementById(location.hash.slice(1));
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
  }, []);
}

/** What each member is called, and how it is shown and compared. */
function useConflictFields(): Readonly<Record<ClientMember, ConflictField<ClientContent>>> {
  const profiles = useApiQuery('listProfiles').data?.data;
  const yesOrNo = (value: boolean): string => (value ? t.yes : t.no);
  return {
    name: { label: t.name, show: ({ name }) => name },
    network: {
      label: networkEditor.title,
      show: (content) =>
        lines(content.network.map(({ entry, label }) => (label === '' ? entry : `${entry} (${label})`))),
      compare: (content) =>
        content.network
          .map(({ entry, label }) => `${entry} ${label}`)
          .toSorted()
          .join('\n'),
    },
    roles: {
      label: t.roles,
      show: ({ roles }) => lines(roles),
      compare: ({ roles }) => roles.toSorted().join('\n'),
    },
    allowExplanations: {
      label: t.allowExplanations,
      show: ({ allowExplanations }) => yesOrNo(allowExplanations),
    },
    profile: {
      label: messageProfiles.title,
      show: ({ profile }) => profiles?.find(({ name }) => name === profile)?.title ?? profile,
    },
    tags: { label: clientLabels.tags, show: ({ tags }) => tags.toSorted().join(', ') },
    metadata: {
      label: clientLabels.metadata,
      show: ({ metadata }) => lines(metadata.split('\n')),
      compare: ({ metadata }) => metadata,
    },
    requestsPerMinuteMax: {
      label: clientLimits.own.requestsPerMinuteMax,
      show: ({ requestsPerMinuteMax }) => requestsPerMinuteMax,
    },
    requestsBurstMax: {
      label: clientLimits.own.requestsBurstMax,
      show: ({ requestsBurstMax }) => requestsBurstMax,
    },
  };
}

function lines(texts: readonly string[]): ReactNode {
  return texts.length > 0 && texts.map((text) => <div key={text}>{text}</div>);
}

import type { Client } from '@countersign/contract';
import { Group, Stack } from '@mantine/core';
import { type ReactElement, useEffect } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import { ProfileLabel } from '../../clients/client-profile.tsx';
import { isClosedProfile } from '../../clients/profile-switch.ts';
import { AppLink, LinkButton } from '../../components/app-link.tsx';
import { CopyableText } from '../../components/copyable-text.tsx';
import { Facts } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { apiKeys } from '#messages/api-keys.ts';
import { messageProfiles } from '#messages/message-profiles.ts';
import { useSession } from '../../session/session-context.ts';
import { ClientExamples } from '../../snippets/client-examples.tsx';
import { FirstRequestPanel } from './first-request-panel.tsx';

const t = apiKeys.result;

/** The page after a client was added. */
export function AddedClientPage({ clientId }: { readonly clientId: string }): ReactElement {
  const client = useApiQuery('getClient', { path: { clientId } });
  return <QueryState query={client}>{(added) => <AddedClient client={added} />}</QueryState>;
}

function AddedClient({ client }: { readonly client: Client }): ReactElement {
  const { features } = useSession();
  const hasKey = client.keys.length > 0;
  const isClosed = isClosedProfile(client.profile);
  // The address did not change, so nothing else moves the focus to the title.
  useEffect(() => document.querySelector<HTMLElement>('h1')?.focus(), []);
  return (
    <Page
      title={t.title(client.name)}
      description={hasKey ? t.description : t.descriptionWithoutKey}
      back={{ to: '/integrations/api-keys', label: t.done }}
      actions={
        <>
          <LinkButton variant="default" to="/integrations/api-keys/new">
            {t.another}
          </LinkButton>
          <LinkButton to={clientPath(client.clientId)}>{t.open}</LinkButton>
        </>
      }
    >
      <Stack gap="lg">
        <Identity client={client} />
        {hasKey && <FirstRequestPanel clientId={client.clientId} />}
        <Section title={t.snippets} description={isClosed ? t.snippetsDescription : undefined}>
          <ClientExamples baseUrl={features.baseUrl} client={client} usedKey={client.keys[0]} />
        </Section>
      </Stack>
    </Page>
  );
}

function Identity({ client }: { readonly client: Client }): ReactElement {
  const [key] = client.keys;
  const fingerprint =
    key === undefined ? (
      <Group gap="xs">
        {t.noKey}
        <AppLink to={clientPath(client.clientId, '/edit')}>{t.addKey}</AppLink>
      </Group>
    ) : (
      <CopyableText value={key.fingerprint} label={t.fingerprint} />
    );
  return (
    <Section title={t.identity} description={t.clientIdHint}>
      <Facts
        width="wide"
        items={[
          { label: t.clientId, value: <CopyableText value={client.clientId} label={t.clientId} /> },
          { label: t.fingerprint, value: fingerprint },
          ...(isClosedProfile(client.profile)
            ? []
            : [{ label: messageProfiles.title, value: <ProfileLabel name={client.profile} /> }]),
        ]}
      />
    </Section>
  );
}

import { Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { useEntityQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { client as clientWords } from '#messages/client.ts';
import { networkEditor } from '#messages/network-editor.ts';
import { RefusedAddresses } from '../../network/refused-addresses.tsx';
import { StoredWhitelist } from '../../network/stored-whitelist.tsx';
import { usePermission } from '../../session/session-context.ts';
import { UpdateLink } from './update-link.tsx';

const t = clientWords.network;

/** The stored whitelist with the last use of each entry, and the addresses that it rejected. */
export function NetworkTab({ view: { client } }: { readonly view: ClientView }): ReactElement {
  const { clientId } = client;
  const mayChange = usePermission('clients:write') && client.status !== 'revoked';
  const query = useEntityQuery('getNetworkWhitelist', { path: { clientId } });
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={<UpdateLink client={client} label={t.change} field="client-network" />}
    >
      <QueryState query={query}>
        {({ body: { entries } }) => (
          <Stack gap="md">
            <StoredWhitelist items={entries} />
            {mayChange && (
              <RefusedAddresses
                clientId={clientId}
                items={entries}
                action={(address) => (
                  <LinkButton
                    to={clientPath(clientId, `/edit?allow=${encodeURIComponent(address)}#client-network`)}
                    size="compact-xs"
                    variant="default"
                    aria-label={networkEditor.refused.add(address)}
                  >
                    {networkEditor.refused.addShort}
                  </LinkButton>
                )}
              />
            )}
          </Stack>
        )}
      </QueryState>
    </Section>
  );
}

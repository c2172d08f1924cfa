import { ActionIcon, Menu } from '@mantine/core';
import { EllipsisVertical, KeyRound, PencilLine } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { type ClientAct, ClientActDialog, ClientActItems } from '../../clients/client-acts.tsx';
import { clientPath } from '../../clients/client-path.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { isUsable } from '../../keys/rotation-state.ts';
import { client as clientWords } from '#messages/client.ts';
import { usePermission } from '../../session/session-context.ts';

const t = clientWords.actions;

export function ClientActions({ view }: { readonly view: ClientView }): ReactElement {
  const { clientId, status } = view.client;
  return (
    <>
      {status !== 'revoked' && (
        <>
          <Permitted permission="clients:write">
            {(isDisabled) => (
              <LinkButton
                to={clientPath(clientId, '/edit')}
                variant="default"
                leftSection={<PencilLine size={16} aria-hidden />}
                disabled={isDisabled}
              >
                {t.update}
              </LinkButton>
            )}
          </Permitted>
          <Permitted permission="keys:write">
            {(isDisabled) => (
              <LinkButton
                to={clientPath(clientId, '/rotate')}
                leftSection={<KeyRound size={16} aria-hidden />}
                disabled={isDisabled}
              >
                {view.keys.some(isUsable) ? t.rotate : t.addKey}
              </LinkButton>
            )}
          </Permitted>
        </>
      )}
      <StateMenu view={view} />
    </>
  );
}

function StateMenu({ view }: { readonly view: ClientView }): ReactElement | null {
  const [act, setAct] = useState<ClientAct>();
  if (!usePermission('clients:write')) return null;
  return (
    <>
      <Menu withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t.more}>
            <EllipsisVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <ClientActItems client={view.client} onAct={setAct} />
        </Menu.Dropdown>
      </Menu>
      <ClientActDialog
        client={view.client}
        entityTag={view.entityTag}
        act={act}
        onClose={() => setAct(undefined)}
      />
    </>
  );
}

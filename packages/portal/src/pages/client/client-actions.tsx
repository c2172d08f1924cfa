import { ActionIcon, Menu } from '@mantine/core';
import { Ban, CirclePlay, EllipsisVertical, KeyRound, PencilLine, RotateCcw, ShieldX } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { isUsable } from '../../keys/rotation-state.ts';
import { clientPath } from '../../clients/client-path.ts';
import { type ClientTransition, TransitionDialog } from './transition-dialog.tsx';
import type { ClientView } from '../../clients/client-view.ts';

/** What can be done with a client as a whole. */
export function ClientActions({ view }: { readonly view: ClientView }): ReactElement {
  const t = useMessages('client').actions;
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
  const t = useMessages('client').actions;
  const [transition, setTransition] = useState<ClientTransition>();
  const { status } = view.client;
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
          {status === 'active' && (
            <Menu.Item leftSection={<Ban size={16} aria-hidden />} onClick={() => setTransition('disable')}>
              {t.disable}
            </Menu.Item>
          )}
          {status === 'disabled' && (
            <Menu.Item
              leftSection={<CirclePlay size={16} aria-hidden />}
              onClick={() => setTransition('enable')}
            >
              {t.enable}
            </Menu.Item>
          )}
          {status === 'revoked' ? (
            <Menu.Item
              leftSection={<RotateCcw size={16} aria-hidden />}
              onClick={() => setTransition('restore')}
            >
              {t.restore}
            </Menu.Item>
          ) : (
            <Menu.Item
              color="red"
              leftSection={<ShieldX size={16} aria-hidden />}
              onClick={() => setTransition('revoke')}
            >
              {t.revoke}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {transition && (
        <TransitionDialog transition={transition} view={view} onClose={() => setTransition(undefined)} />
      )}
    </>
  );
}

import type { Client } from '@countersign/contract';
import { ActionIcon, Menu } from '@mantine/core';
import {
  CirclePause,
  CirclePlay,
  EllipsisVertical,
  Eye,
  Pencil,
  RotateCcw,
  RotateCw,
  Trash2,
} from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { useMessages } from '../../../messages/messages.ts';
import { usePermission } from '../../../session/session-context.ts';
import { clientPath } from '../../../clients/client-path.ts';
import { type ClientAct, ClientActDialog } from './client-act-dialog.tsx';

const iconSize = 16;

/** What can be done with a client, at the end of its row. */
export function ClientMenu({ client }: { readonly client: Client }): ReactElement {
  const t = useMessages('apiKeys');
  const [act, setAct] = useState<ClientAct>();
  const mayChange = usePermission('clients:write');
  const mayRotate = usePermission('keys:write');
  const isRevoked = client.status === 'revoked';
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.table.menuOf(client.name)}>
            <EllipsisVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={Link}
            href={clientPath(client.clientId)}
            leftSection={<Eye size={iconSize} />}
          >
            {t.actions.open}
          </Menu.Item>
          {mayChange && !isRevoked && (
            <Menu.Item
              component={Link}
              href={clientPath(client.clientId, '/edit')}
              leftSection={<Pencil size={iconSize} />}
            >
              {t.actions.update}
            </Menu.Item>
          )}
          {mayRotate && !isRevoked && (
            <Menu.Item
              component={Link}
              href={clientPath(client.clientId, '/rotate')}
              leftSection={<RotateCw size={iconSize} />}
            >
              {t.actions.rotate}
            </Menu.Item>
          )}
          {mayChange && <ActItems client={client} onAct={setAct} />}
        </Menu.Dropdown>
      </Menu>
      <ClientActDialog client={client} act={act} onClose={() => setAct(undefined)} />
    </>
  );
}

interface ActItemsProps {
  readonly client: Client;
  readonly onAct: (act: ClientAct) => void;
}

function ActItems({ client, onAct }: ActItemsProps): ReactElement {
  const t = useMessages('apiKeys').actions;
  if (client.status === 'revoked')
    return (
      <Menu.Item leftSection={<RotateCcw size={iconSize} />} onClick={() => onAct('restore')}>
        {t.restore}
      </Menu.Item>
    );
  const isDisabled = client.status === 'disabled';
  return (
    <>
      <Menu.Item
        leftSection={isDisabled ? <CirclePlay size={iconSize} /> : <CirclePause size={iconSize} />}
        onClick={() => onAct(isDisabled ? 'enable' : 'disable')}
      >
        {isDisabled ? t.enable : t.disable}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item color="red" leftSection={<Trash2 size={iconSize} />} onClick={() => onAct('revoke')}>
        {t.revoke}
      </Menu.Item>
    </>
  );
}

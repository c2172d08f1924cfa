import type { Client } from '@countersign/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { EllipsisVertical, Eye, Pencil, RotateCw } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { type ClientAct, ClientActDialog, ClientActItems } from '../../../clients/client-acts.tsx';
import { clientPath } from '../../../clients/client-path.ts';
import { apiKeys as t } from '#messages/api-keys.ts';
import { usePermission } from '../../../session/session-context.ts';

/** The menu at the end of a client's row. */
export function ClientMenu({ client }: { readonly client: Client }): ReactElement {
  const [act, setAct] = useState<ClientAct>();
  // A closed dialog in each row takes longer to draw than the row. It is there before it opens, to know where the focus was.
  const [wasOpened, setWasOpened] = useState(false);
  const mayChange = usePermission('clients:write');
  const mayRotate = usePermission('keys:write');
  const isRevoked = client.status === 'revoked';
  const links = [
    { rest: '', icon: Eye, label: t.actions.open, isShown: true },
    { rest: '/edit', icon: Pencil, label: t.actions.update, isShown: mayChange && !isRevoked },
    { rest: '/rotate', icon: RotateCw, label: t.actions.rotate, isShown: mayRotate && !isRevoked },
  ];
  return (
    <>
      <Menu onOpen={() => setWasOpened(true)}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.table.menuOf(client.name)}>
            <EllipsisVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {links
            .filter(({ isShown }) => isShown)
            .map(({ rest, icon: Icon, label }) => (
              <Menu.Item
                key={label}
                component={Link}
                href={clientPath(client.clientId, rest)}
                leftSection={<Icon size={16} />}
              >
                {label}
              </Menu.Item>
            ))}
          {mayChange && <ClientActItems client={client} onAct={setAct} />}
        </Menu.Dropdown>
      </Menu>
      {wasOpened && <ClientActDialog client={client} act={act} onClose={() => setAct(undefined)} />}
    </>
  );
}

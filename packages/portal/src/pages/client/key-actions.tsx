import type { Key } from '@countersign/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { CalendarClock, CalendarPlus, EllipsisVertical, ShieldX } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { shortFingerprint } from '../../audit/audit-facts.ts';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import type { ClientView } from './client-view.ts';
import classes from './client.module.css';
import { ExtendKeyDialog } from './extend-key-dialog.tsx';
import { RetireKeyDialog } from './retire-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';

type Act = 'retire' | 'extend' | 'revoke';

/** What can be done with a key that verifies. */
export function KeyActions({
  keyShown: key,
  view,
}: {
  readonly keyShown: Key;
  readonly view: ClientView;
}): ReactElement | null {
  const t = useMessages('client').keys;
  const [act, setAct] = useState<Act>();
  const dialog = { keyShown: key, view, onClose: () => setAct(undefined) };
  if (!usePermission('keys:write')) return null;
  return (
    <div className={classes.keyMenu}>
      <Menu withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.actions(shortFingerprint(key.fingerprint))}>
            <EllipsisVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<CalendarClock size={16} />} onClick={() => setAct('retire')}>
            {key.endsAt === undefined ? t.retire : t.changeEnd}
          </Menu.Item>
          {key.endsAt !== undefined && (
            <Menu.Item leftSection={<CalendarPlus size={16} />} onClick={() => setAct('extend')}>
              {t.extend}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<ShieldX size={16} />} onClick={() => setAct('revoke')}>
            {t.revoke}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {act === 'retire' && <RetireKeyDialog {...dialog} />}
      {act === 'extend' && <ExtendKeyDialog {...dialog} />}
      {act === 'revoke' && <RevokeKeyDialog {...dialog} />}
    </div>
  );
}

import { Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { RelativeTime } from '../components/relative-time.tsx';
import { networkEditor } from '#messages/network-editor.ts';
import { usePermission } from '../session/session-context.ts';
import classes from './network-editor.module.css';
import { isAllowed, type NetworkItem } from './network-item.ts';

const t = networkEditor.refused;

interface RefusedAddressesProps {
  /** Undefined: all clients of the account. */
  readonly clientId: string | undefined;
  readonly items: readonly NetworkItem[];
  /** What can be done about an address. */
  readonly action: (address: string) => ReactNode;
}

const shownMax = 6;

/** Lists addresses from which signed requests were recently rejected, if the list does not allow them yet. */
export function RefusedAddresses({ clientId, items, action }: RefusedAddressesProps): ReactElement | null {
  const isPermitted = usePermission('requests:read');
  const query = useApiQuery(
    'listRefusedAddresses',
    { query: { ...(clientId !== undefined && { clientId }) } },
    { enabled: isPermitted },
  );
  const missing = (query.data?.items ?? [])
    .filter(({ sourceAddress }) => !isAllowed(items, sourceAddress))
    .slice(0, shownMax);
  if (missing.length === 0) return null;
  return (
    <div className={classes.panel}>
      <Text size="sm" fw={500}>
        {t.title}
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        {clientId === undefined ? t.textAll : t.text}
      </Text>
      <ul className={classes.refused}>
        {missing.map((refused) => (
          <li key={`${refused.clientId} ${refused.sourceAddress}`} className={classes.refusedItem}>
            <span>
              <code>{refused.sourceAddress}</code>{' '}
              <Text span size="xs" c="dimmed">
                {t.item(refused.count)}
                {clientId === undefined && ` ${t.of(refused.clientName)}`}
                {', '}
                <RelativeTime at={refused.lastAt} />
              </Text>
            </span>
            {action(refused.sourceAddress)}
          </li>
        ))}
      </ul>
    </div>
  );
}

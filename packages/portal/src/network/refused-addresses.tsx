import { NetworkWhitelist, parseAddress, readNetworkEntry, type RefusedAddress } from '@countersign/contract';
import { Button, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { RelativeTime } from '../components/relative-time.tsx';
import { useMessages } from '../messages/messages.ts';
import { usePermission } from '../session/session-context.ts';
import classes from './network-editor.module.css';
import type { AddEntries } from './network-editor.tsx';
import type { NetworkItem } from './network-item.ts';

/** What `RefusedAddresses` needs. */
export interface RefusedAddressesProps {
  readonly clientId: string | undefined;
  readonly items: readonly NetworkItem[];
  readonly onAdd: AddEntries;
}

const shownMax = 6;

/** The addresses from which signed requests were refused lately, each with a button that adds it. Nothing when there are none. */
export function RefusedAddresses({ clientId, items, onAdd }: RefusedAddressesProps): ReactElement | null {
  const t = useMessages('networkEditor').refused;
  const isPermitted = usePermission('requests:read');
  const query = useApiQuery(
    'listRefusedAddresses',
    { query: { ...(clientId !== undefined && { clientId }) } },
    { enabled: isPermitted },
  );
  const whitelist = NetworkWhitelist.fromTexts(items.map(({ entry }) => entry));
  const missing = (query.data?.items ?? [])
    .filter(({ sourceAddress }) => !whitelist.allows(parseAddress(sourceAddress)))
    .slice(0, shownMax);
  if (missing.length === 0) return null;
  return (
    <div className={classes.panel}>
      <Text size="sm" fw={600}>
        {t.title}
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        {clientId === undefined ? t.textAll : t.text}
      </Text>
      <ul className={classes.refused}>
        {missing.map((refused) => (
          <RefusedItem
            key={`${refused.clientId} ${refused.sourceAddress}`}
            refused={refused}
            isNamed={clientId === undefined}
            onAdd={onAdd}
          />
        ))}
      </ul>
    </div>
  );
}

interface RefusedItemProps {
  readonly refused: RefusedAddress;
  readonly isNamed: boolean;
  readonly onAdd: AddEntries;
}

function RefusedItem({ refused, isNamed, onAdd }: RefusedItemProps): ReactElement {
  const t = useMessages('networkEditor').refused;
  const { sourceAddress, count, lastAt, clientName } = refused;
  const add = (): void => {
    const reading = readNetworkEntry(sourceAddress);
    if (reading.ok) onAdd([{ entry: reading.entry, label: '' }]);
  };
  return (
    <li className={classes.refusedItem}>
      <span>
        <code>{sourceAddress}</code>{' '}
        <Text span size="xs" c="dimmed">
          {t.item(count)} {isNamed && t.of(clientName)}, <RelativeTime at={lastAt} />
        </Text>
      </span>
      <Button size="compact-xs" variant="default" aria-label={t.add(sourceAddress)} onClick={add}>
        {t.addShort}
      </Button>
    </li>
  );
}

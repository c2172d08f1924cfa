import { Stack } from '@mantine/core';
import { type ReactElement, useMemo } from 'react';
import { Notice } from '../components/notice.tsx';
import { networkEditor as t } from '#messages/network-editor.ts';
import { EntryList } from './entry-list.tsx';
import { networkFacts, type NetworkItem } from './network-item.ts';
import { NetworkTools } from './network-tools.tsx';

interface StoredWhitelistProps {
  readonly items: readonly NetworkItem[];
  /** The last use is known of clients' addresses alone. */
  readonly purpose?: 'clients' | 'portal';
}

/** A whitelist as it is stored, with the last use of each entry. Addresses can be tested against it. */
export function StoredWhitelist({ items, purpose = 'clients' }: StoredWhitelistProps): ReactElement {
  const facts = useMemo(() => networkFacts(items), [items]);
  return (
    <Stack gap="md">
      <NetworkTools items={items} onAdd={undefined} />
      <EntryList items={items} facts={facts} isStored={purpose === 'clients'} purpose={purpose} />
      {purpose === 'clients' && <EveryoneNotice facts={facts} />}
    </Stack>
  );
}

/** Warns of a list that allows everyone. */
export function EveryoneNotice({
  facts,
}: {
  readonly facts: ReturnType<typeof networkFacts>;
}): ReactElement | null {
  if (!facts.some((fact) => fact.isEveryone)) return null;
  return (
    <Notice tone="warning" title={t.everyoneNotice.title}>
      {t.everyoneNotice.text}
    </Notice>
  );
}

import { Stack } from '@mantine/core';
import { type ReactElement, useMemo, useState } from 'react';
import { announce } from '../components/announce.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { FieldHint, Notice } from '../components/notice.tsx';
import { networkEditor as t } from '#messages/network-editor.ts';
import { EntryField } from './entry-field.tsx';
import { EntryList } from './entry-list.tsx';
import { isEveryone, networkFacts, type NetworkItem } from './network-item.ts';
import { NetworkTools } from './network-tools.tsx';
import { type AddEntries, type PastedEntries, withEntries } from './pasted-entries.ts';
import { RefusedAddresses } from './refused-addresses.tsx';

export interface NetworkEditorProps {
  readonly items: readonly NetworkItem[];
  readonly onAdd: (items: readonly NetworkItem[]) => unknown;
  readonly onRemove: (item: NetworkItem) => void;
  /** Without it, labels cannot be edited. */
  readonly onLabel?: (entry: string, label: string) => void;
  /** The text in the field for the next entry. */
  readonly draft: string;
  readonly onDraftChange: (draft: string) => void;
  /** The id of that field. */
  readonly fieldId: string;
  readonly error?: string | undefined;
  /** Returns the service's objection to a single entry. */
  readonly entryError?: (entry: string) => string | undefined;
  /** Limits the rejected addresses to one client. */
  readonly clientId?: string | undefined;
  /** Set if the list is the stored one: it shows the last use, and the last entry stays. */
  readonly isStored?: boolean;
  readonly isReadOnly?: boolean;
}

/** Edits a network whitelist. Addresses are tested against the list as shown, by the code the service uses. */
export function NetworkEditor(props: NetworkEditorProps): ReactElement {
  const { items, onAdd, error, clientId, isStored = false, isReadOnly = false } = props;
  const facts = useMemo(() => networkFacts(items), [items]);
  const [waiting, setWaiting] = useState<PastedEntries['read']>([]);

  const add: AddEntries = (entries) => {
    const isToConfirm = ({ entry }: PastedEntries['read'][number]): boolean =>
      isEveryone(entry) && items.every((item) => item.entry !== entry.text);
    setWaiting(entries.filter(isToConfirm));
    const { added, repeated } = withEntries(
      items,
      entries.filter((entry) => !isToConfirm(entry)),
    );
    if (added.length > 0) onAdd(added);
    // Changes that are stored at once are announced when they are stored.
    const said = t.many.added(isStored ? 0 : added.length, repeated.length);
    if (said !== '') announce(said);
    return { added: added.length, repeated };
  };
  return (
    <Stack gap="md">
      {!isReadOnly && <EntryField {...props} onAdd={add} />}
      <NetworkTools items={items} onAdd={isReadOnly ? undefined : add} isStored={isStored} />
      {error !== undefined && items.length > 0 && <FieldHint tone="danger">{error}</FieldHint>}
      <EntryList {...props} facts={facts} />
      {facts.some((fact) => fact.isEveryone) && (
        <Notice tone="warning" title={t.everyoneNotice.title}>
          {t.everyoneNotice.text}
        </Notice>
      )}
      {!isReadOnly && <RefusedAddresses clientId={clientId} items={items} onAdd={add} />}
      <ConfirmDialog
        opened={waiting.length > 0}
        onClose={() => setWaiting([])}
        title={t.everyoneDialog.title}
        confirmLabel={t.everyoneDialog.confirm}
        isDangerous
        onConfirm={() => onAdd(withEntries(items, waiting).added)}
      >
        {t.everyoneDialog.text(waiting.map(({ entry }) => entry.text).join(', '))}
      </ConfirmDialog>
    </Stack>
  );
}

import { Stack } from '@mantine/core';
import { type ReactElement, useMemo, useState } from 'react';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { announce } from '../components/announce.ts';
import { FieldHint } from '../components/field-hint.tsx';
import { Notice } from '../components/notice.tsx';
import { useMessages } from '../messages/messages.ts';
import { EntryField } from './entry-field.tsx';
import { EntryList } from './entry-list.tsx';
import { isEveryone, type NetworkItem, networkFacts } from './network-item.ts';
import { NetworkTools } from './network-tools.tsx';
import { type PastedEntries, withEntries } from './pasted-entries.ts';
import { RefusedAddresses } from './refused-addresses.tsx';

/** What the editor of a whitelist needs. */
export interface NetworkEditorProps {
  readonly items: readonly NetworkItem[];
  readonly onChange: (items: readonly NetworkItem[]) => void;
  /** What stands in the field for the next entry: the form asks what is to become of it. */
  readonly draft: string;
  readonly onDraftChange: (draft: string) => void;
  /** The id of the field for the next entry, for links of the form to it. */
  readonly fieldId: string;
  readonly error: string | undefined;
  /** What the service says of single entries, by their canonical text. */
  readonly entryErrors?: ReadonlyMap<string, string>;
  /** The client whose refused addresses are shown; those of all clients of the account without it. */
  readonly clientId?: string | undefined;
}

/** Adds entries to a list; what allows everyone waits until it is confirmed. */
export type AddEntries = (entries: PastedEntries['read']) => {
  readonly added: number;
  readonly repeated: readonly string[];
};

/** Edits a network whitelist: one entry at a time or many, with what should be said of each. */
export function NetworkEditor(props: NetworkEditorProps): ReactElement {
  const { items, onChange, clientId } = props;
  const t = useMessages('networkEditor');
  const facts = useMemo(() => networkFacts(items), [items]);
  const [waiting, setWaiting] = useState<PastedEntries['read']>([]);

  const add: AddEntries = (entries) => {
    const isNew = ({ entry }: PastedEntries['read'][number]): boolean =>
      items.every((item) => item.entry !== entry.text);
    setWaiting(entries.filter((each) => isEveryone(each.entry) && isNew(each)));
    const result = withEntries(
      items,
      entries.filter((each) => !isEveryone(each.entry) || !isNew(each)),
    );
    if (result.added.length > 0) onChange(result.items);
    if (result.added.length > 0 || result.repeated.length > 0)
      announce(t.many.added(result.added.length, result.repeated.length));
    return { added: result.added.length, repeated: result.repeated };
  };
  return (
    <Stack gap="md">
      <EntryField {...props} onAdd={add} />
      <NetworkTools items={items} onAdd={add} />
      {props.error !== undefined && items.length > 0 && <FieldHint tone="danger">{props.error}</FieldHint>}
      <EntryList {...props} facts={facts} />
      {facts.some((fact) => fact.isEveryone) && (
        <Notice tone="warning" title={t.everyoneNotice.title}>
          {t.everyoneNotice.text}
        </Notice>
      )}
      <RefusedAddresses clientId={clientId} items={items} onAdd={add} />
      <ConfirmDialog
        opened={waiting.length > 0}
        onClose={() => setWaiting([])}
        title={t.everyoneDialog.title}
        confirmLabel={t.everyoneDialog.confirm}
        isDangerous
        onConfirm={() => onChange(withEntries(items, waiting).items)}
      >
        {t.everyoneDialog.text(waiting.map(({ entry }) => entry.text).join(', '))}
      </ConfirmDialog>
    </Stack>
  );
}

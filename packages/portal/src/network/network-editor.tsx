import { Button, Stack } from '@mantine/core';
import { type ReactElement, useMemo, useState } from 'react';
import { announce } from '../components/announce.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { FieldHint } from '../components/notice.tsx';
import { networkEditor as t } from '#messages/network-editor.ts';
import { EntryField } from './entry-field.tsx';
import { EntryList } from './entry-list.tsx';
import { isEveryone, networkFacts, type NetworkItem } from './network-item.ts';
import { NetworkTools } from './network-tools.tsx';
import { addAddress, type AddEntries, type PastedEntries, withEntries } from './pasted-entries.ts';
import { RefusedAddresses } from './refused-addresses.tsx';
import { EveryoneNotice } from './stored-whitelist.tsx';

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
  /** The list is of clients' addresses, or of those from which people use the portal, where no entry allows everyone. */
  readonly purpose?: 'clients' | 'portal';
  /** Limits the rejected addresses to one client. */
  readonly clientId?: string | undefined;
}

/** Edits a network whitelist. Addresses are tested against the list as shown, by the code the service uses. */
export function NetworkEditor(props: NetworkEditorProps): ReactElement {
  const { items, onAdd, error, clientId, purpose = 'clients' } = props;
  const isOfPortal = purpose === 'portal';
  const facts = useMemo(() => networkFacts(items), [items]);
  const [waiting, setWaiting] = useState<PastedEntries['read']>([]);
  const [isEveryoneRefused, setIsEveryoneRefused] = useState(false);

  const add: AddEntries = (entries) => {
    const isToConfirm = ({ entry }: PastedEntries['read'][number]): boolean =>
      isEveryone(entry) && items.every((item) => item.entry !== entry.text);
    const everyone = entries.filter(isToConfirm);
    setWaiting(isOfPortal ? [] : everyone);
    setIsEveryoneRefused(isOfPortal && everyone.length > 0);
    const { added, repeated } = withEntries(
      items,
      entries.filter((entry) => !isToConfirm(entry)),
    );
    if (added.length > 0) onAdd(added);
    const said = t.many.added(added.length, repeated.length);
    if (said !== '') announce(said);
    return { added: added.length, repeated };
  };
  return (
    <Stack gap="md">
      <EntryField {...props} onAdd={add} />
      {isEveryoneRefused && (
        <FieldHint tone="danger" isLive>
          {t.portal.everyone}
        </FieldHint>
      )}
      <NetworkTools items={items} onAdd={add} />
      {error !== undefined && items.length > 0 && <FieldHint tone="danger">{error}</FieldHint>}
      <EntryList {...props} facts={facts} />
      {!isOfPortal && <EveryoneNotice facts={facts} />}
      {!isOfPortal && (
        <RefusedAddresses
          clientId={clientId}
          items={items}
          action={(address) => (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={t.refused.add(address)}
              onClick={() => addAddress(address, add)}
            >
              {t.refused.addShort}
            </Button>
          )}
        />
      )}
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

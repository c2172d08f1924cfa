import { readNetworkEntry } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type ReactElement, useId, useState } from 'react';
import { FieldHint } from '../components/notice.tsx';
import { networkEditor as t } from '#messages/network-editor.ts';
import { specialTone } from './entry-list.tsx';
import { meantEntries, type Offer } from './meant-entries.ts';
import classes from './network-editor.module.css';
import { addressBitsOf, isEveryone } from './network-item.ts';
import { type AddEntries, holdsSeveralEntries, readPastedEntries } from './pasted-entries.ts';
import { specialKindOf } from './special-networks.ts';

interface EntryFieldProps {
  readonly draft: string;
  readonly onDraftChange: (draft: string) => void;
  readonly fieldId: string;
  readonly error?: string | undefined;
  readonly onAdd: AddEntries;
  readonly purpose?: 'clients' | 'portal';
}

/** The field for the next entry, with a preview of its canonical form. A pasted list is added at once. */
export function EntryField(props: EntryFieldProps): ReactElement {
  const { draft, fieldId, error, purpose } = props;
  const hintId = useId();
  const { label, setLabel, problem, change, add, addOffer, addPasted } = useEntryDraft(props);
  const addByKey = (event: KeyboardEvent): void => {
    // Enter adds the entry. It must not submit the form around it.
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (draft.trim() !== '') add();
  };
  return (
    <div>
      <div className={classes.row}>
        <TextInput
          id={fieldId}
          className={classes.entry}
          classNames={{ wrapper: classes.mono }}
          label={t.entry}
          aria-describedby={hintId}
          value={draft}
          error={(problem ?? error) !== undefined}
          onChange={(event) => change(event.currentTarget.value)}
          onPaste={addPasted}
          onKeyDown={addByKey}
          placeholder="203.0.113.0/24"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          inputMode="text"
        />
        <TextInput
          className={classes.label}
          label={t.label}
          placeholder={t.labelPlaceholder}
          value={label}
          onKeyDown={addByKey}
          maxLength={100}
          onChange={(event) => setLabel(event.currentTarget.value)}
          autoComplete="off"
        />
        <Button
          variant="default"
          leftSection={<Plus size={16} aria-hidden />}
          onClick={add}
          disabled={draft.trim() === ''}
        >
          {t.add}
        </Button>
      </div>
      <DraftHint
        id={hintId}
        draft={draft}
        problem={problem ?? error}
        hint={purpose === 'portal' ? t.portal.entryHint : t.entryHint}
      />
      <Offers offers={meantEntries(draft)} onChoose={addOffer} />
    </div>
  );
}

interface EntryDraft {
  readonly label: string;
  readonly setLabel: (label: string) => void;
  readonly problem: string | undefined;
  readonly change: (draft: string) => void;
  readonly add: () => void;
  readonly addOffer: (offer: Offer) => void;
  readonly addPasted: (event: ClipboardEvent) => void;
}

function useEntryDraft({ draft, onDraftChange, fieldId, onAdd }: EntryFieldProps): EntryDraft {
  const [label, setLabel] = useState('');
  const [problem, setProblem] = useState<string>();
  const change = (next: string): void => {
    setProblem(undefined);
    onDraftChange(next);
  };
  const empty = (): void => {
    change('');
    setLabel('');
    document.getElementById(fieldId)?.focus();
  };
  const add = (): void => {
    const reading = readNetworkEntry(draft);
    if (!reading.ok) return setProblem(reading.message);
    const { repeated } = onAdd([{ entry: reading.entry, label: label.trim() }]);
    if (repeated.length > 0) return setProblem(t.repeated(reading.entry.text));
    empty();
  };
  const addOffer = (offer: Offer): void => {
    const readings = offer.map((entry) => readNetworkEntry(entry)).filter((reading) => reading.ok);
    onAdd(readings.map(({ entry }) => ({ entry, label: label.trim() })));
    empty();
  };
  const addPasted = (event: ClipboardEvent): void => {
    const text = event.clipboardData.getData('text/plain');
    if (!holdsSeveralEntries(text)) return;
    event.preventDefault();
    const { read, unread } = readPastedEntries(text);
    onAdd(read);
    if (unread[0] === undefined) return;
    change(unread.map((line) => line.text).join(', '));
    setProblem(unread[0].advice);
  };
  return { label, setLabel, problem, change, add, addOffer, addPasted };
}

interface OffersProps {
  readonly offers: readonly Offer[];
  readonly onChoose: (offer: Offer) => void;
}

/** Buttons that add what the draft may mean. */
function Offers({ offers, onChoose }: OffersProps): ReactElement | null {
  if (offers.length === 0) return null;
  return (
    <div className={classes.offers} role="group" aria-label={t.offers}>
      {offers.map((offer) => (
        <Button
          key={offer.join(' ')}
          size="compact-xs"
          variant="default"
          className={classes.offer}
          onClick={() => onChoose(offer)}
        >
          {t.offer(offer)}
        </Button>
      ))}
    </div>
  );
}

interface DraftHintProps {
  readonly id: string;
  readonly draft: string;
  readonly problem: string | undefined;
  /** Shown while there is nothing to say about the draft. */
  readonly hint: string;
}

/** The canonical form of the draft, or what is wrong with it. */
function DraftHint({ id, draft, problem, hint }: DraftHintProps): ReactElement {
  const reading = draft.trim() === '' ? undefined : readNetworkEntry(draft);
  if (problem !== undefined)
    return (
      <FieldHint id={id} tone="danger" isLive>
        {problem}
      </FieldHint>
    );
  if (reading?.ok !== true) return <FieldHint id={id}>{hint}</FieldHint>;
  const { entry } = reading;
  const special = specialKindOf(entry);
  const words = isEveryone(entry)
    ? t.canonicalEveryone(entry.text)
    : t.canonical(entry.text, addressBitsOf(entry));
  const tone = isEveryone(entry) ? 'warning' : special === undefined ? 'success' : specialTone(special);
  return (
    <FieldHint id={id} tone={tone} isLive>
      {special === undefined ? words : `${words}. ${t.special[special]}`}
    </FieldHint>
  );
}

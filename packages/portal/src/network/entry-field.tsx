import { readNetworkEntry } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type ReactElement, useId, useState } from 'react';
import { FieldHint } from '../components/field-hint.tsx';
import { useMessages } from '../messages/messages.ts';
import classes from './network-editor.module.css';
import type { AddEntries, NetworkEditorProps } from './network-editor.tsx';
import { addressBitsOf, isEveryone } from './network-item.ts';
import { holdsSeveralEntries, readPastedEntries } from './pasted-entries.ts';

/** What `EntryField` needs. */
export interface EntryFieldProps extends Pick<
  NetworkEditorProps,
  'draft' | 'onDraftChange' | 'fieldId' | 'error'
> {
  readonly onAdd: AddEntries;
}

/** The field for the next entry, which shows its canonical form; several entries that are pasted are added at once. */
export function EntryField(props: EntryFieldProps): ReactElement {
  const { draft, fieldId, error } = props;
  const t = useMessages('networkEditor');
  const hintId = useId();
  const { label, setLabel, change, problem, add, addPasted } = useEntryDraft(props);
  const addByKey = (event: KeyboardEvent): void => {
    // Enter in these fields adds the entry; it must not send the form around them.
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
      <DraftHint id={hintId} draft={draft} problem={problem ?? error} />
    </div>
  );
}

/** What becomes of the text in the field: its canonical form, or what is wrong with it. */
function DraftHint({
  id,
  draft,
  problem,
}: {
  readonly id: string;
  readonly draft: string;
  readonly problem: string | undefined;
}): ReactElement {
  const t = useMessages('networkEditor');
  const reading = draft.trim() === '' ? undefined : readNetworkEntry(draft);
  if (problem !== undefined)
    return (
      <FieldHint id={id} tone="danger" isLive>
        {problem}
      </FieldHint>
    );
  if (reading?.ok !== true) return <FieldHint id={id}>{t.entryHint}</FieldHint>;
  const { entry } = reading;
  return (
    <FieldHint id={id} tone={isEveryone(entry) ? 'warning' : 'success'} isLive>
      {isEveryone(entry) ? t.canonicalEveryone(entry.text) : t.canonical(entry.text, addressBitsOf(entry))}
    </FieldHint>
  );
}

/** What stands in the fields for the next entry, and what becomes of it. */
interface EntryDraft {
  readonly label: string;
  readonly setLabel: (label: string) => void;
  readonly change: (draft: string) => void;
  /** What is wrong with the draft, after it was to be added. */
  readonly problem: string | undefined;
  readonly add: () => void;
  readonly addPasted: (event: ClipboardEvent) => void;
}

/** Adds the entry in the field, or says why it cannot; several that are pasted are added at once. */
function useEntryDraft({ draft, onDraftChange, fieldId, onAdd }: EntryFieldProps): EntryDraft {
  const t = useMessages('networkEditor');
  const [label, setLabel] = useState('');
  const [problem, setProblem] = useState<string>();
  const change = (next: string): void => {
    setProblem(undefined);
    onDraftChange(next);
  };
  return {
    label,
    setLabel,
    change,
    problem,
    add() {
      const reading = readNetworkEntry(draft);
      if (!reading.ok) return setProblem(reading.message);
      const { repeated } = onAdd([{ entry: reading.entry, label: label.trim() }]);
      if (repeated.length > 0) return setProblem(t.repeated(reading.entry.text));
      change('');
      setLabel('');
      document.getElementById(fieldId)?.focus();
    },
    addPasted(event) {
      const text = event.clipboardData.getData('text/plain');
      if (!holdsSeveralEntries(text)) return;
      event.preventDefault();
      const { read, unread } = readPastedEntries(text);
      onAdd(read);
      if (unread[0] === undefined) return;
      change(unread.map((line) => line.text).join(', '));
      setProblem(unread[0].advice);
    },
  };
}

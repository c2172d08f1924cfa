import { readNetworkEntry } from '@countersign/contract';
import { type ClipboardEvent, useState } from 'react';
import { useMessages } from '../../../messages/messages.ts';
import type { EntryFieldProps } from './entry-field.tsx';
import { holdsSeveralEntries, readPastedEntries } from './pasted-entries.ts';

/** What stands in the fields for the next entry, and what becomes of it. */
export interface EntryDraft {
  readonly label: string;
  readonly setLabel: (label: string) => void;
  readonly change: (draft: string) => void;
  /** What is wrong with the draft, after it was to be added. */
  readonly problem: string | undefined;
  readonly add: () => void;
  readonly addPasted: (event: ClipboardEvent) => void;
}

/** Adds the entry in the field, or says why it cannot; several that are pasted are added at once. */
export function useEntryDraft({ draft, onDraftChange, fieldId, onAdd }: EntryFieldProps): EntryDraft {
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

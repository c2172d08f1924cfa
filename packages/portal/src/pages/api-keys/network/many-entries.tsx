import { Button, Group, Textarea } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { FieldHint } from '../../../components/field-hint.tsx';
import { useMessages } from '../../../messages/messages.ts';
import classes from './network-editor.module.css';
import type { AddEntries } from './network-editor.tsx';
import { type PastedEntries, readPastedEntries } from './pasted-entries.ts';

/** What `ManyEntries` needs. */
export interface ManyEntriesProps {
  readonly onAdd: AddEntries;
  readonly onClose: () => void;
}

/** A field for many entries; lines that cannot be read stay in it, with what to write instead. */
export function ManyEntries({ onAdd, onClose }: ManyEntriesProps): ReactElement {
  const t = useMessages('networkEditor').many;
  const [text, setText] = useState('');
  const [result, setResult] = useState<{ readonly said: string; readonly unread: PastedEntries['unread'] }>();
  const add = (): void => {
    const { read, unread } = readPastedEntries(text);
    const { added, repeated } = onAdd(read);
    setText(unread.map((line) => line.text).join('\n'));
    setResult({ said: t.added(added, repeated.length), unread });
    if (unread.length === 0 && added > 0) onClose();
  };
  return (
    <div className={classes.panel}>
      <Textarea
        label={t.label}
        description={t.hint}
        placeholder={t.placeholder}
        classNames={{ wrapper: classes.mono }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={14}
        spellCheck={false}
        autoComplete="off"
        data-autofocus
      />
      {result !== undefined && <ManyResult {...result} />}
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={add} disabled={text.trim() === ''}>
          {t.add}
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          {t.close}
        </Button>
      </Group>
    </div>
  );
}

function ManyResult({
  said,
  unread,
}: {
  readonly said: string;
  readonly unread: PastedEntries['unread'];
}): ReactElement {
  const t = useMessages('networkEditor').many;
  return (
    <div role="status">
      {said !== '' && <FieldHint tone="success">{said}</FieldHint>}
      {unread.length > 0 && (
        <FieldHint tone="danger">
          {t.unread(unread.length)}
          <ul className={classes.unread}>
            {unread.slice(0, shownMax).map((line) => (
              <li key={line.text}>
                <code>{line.text.slice(0, 80)}</code>: {line.advice}
              </li>
            ))}
          </ul>
        </FieldHint>
      )}
    </div>
  );
}

const shownMax = 5;

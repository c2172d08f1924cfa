import { formatAddress, NetworkWhitelist, parseAddress } from '@countersign/contract';
import { Button, Group, Textarea, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { FieldHint } from '../components/notice.tsx';
import { networkEditor } from '#messages/network-editor.ts';
import classes from './network-editor.module.css';
import type { NetworkToolsProps } from './network-tools.tsx';
import { addAddress, type AddEntries, type PastedEntries, readPastedEntries } from './pasted-entries.ts';

interface ManyEntriesProps {
  readonly onAdd: AddEntries;
  readonly onClose: () => void;
}

const unreadShownMax = 5;

/** Adds many entries at once. Lines that cannot be read stay in the field, each with advice. */
export function ManyEntries({ onAdd, onClose }: ManyEntriesProps): ReactElement {
  const t = networkEditor.many;
  const [text, setText] = useState('');
  const [said, setSaid] = useState('');
  const [rest, setRest] = useState<PastedEntries['unread']>([]);
  const add = (): void => {
    const { read, unread } = readPastedEntries(text);
    const { added, repeated } = onAdd(read);
    setText(unread.map((line) => line.text).join('\n'));
    setSaid(t.added(added, repeated.length));
    setRest(unread);
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
      <div role="status">
        {said !== '' && <FieldHint tone="success">{said}</FieldHint>}
        {rest.length > 0 && (
          <FieldHint tone="danger">
            {t.unread(rest.length)}
            <ul className={classes.unread}>
              {rest.slice(0, unreadShownMax).map((line) => (
                <li key={line.text}>
                  <code>{line.text.slice(0, 80)}</code>: {line.advice}
                </li>
              ))}
            </ul>
          </FieldHint>
        )}
      </div>
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

/** Tests an address against the list as shown, stored or not. */
export function AddressTest({ items, onAdd }: NetworkToolsProps): ReactElement {
  const t = networkEditor.test;
  const [text, setText] = useState('');
  const address = parseAddress(text.trim());
  const shown = address === undefined ? '' : formatAddress(address);
  const whitelist = NetworkWhitelist.fromTexts(items.map(({ entry }) => entry));
  const entries = address === undefined ? [] : whitelist.entriesFor(address);
  return (
    <div className={classes.panel}>
      <TextInput
        // Enter must not submit the form around it.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        label={t.label}
        description={t.hint}
        classNames={{ wrapper: classes.mono }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        placeholder="203.0.113.7"
        autoComplete="off"
        spellCheck={false}
      />
      <div role="status">
        {text.trim() !== '' && address === undefined && <FieldHint>{t.unreadable}</FieldHint>}
        {entries.length > 0 && <FieldHint tone="success">{t.allowed(shown, entries.join(', '))}</FieldHint>}
        {address !== undefined && entries.length === 0 && (
          <Group gap="xs" align="center">
            <FieldHint tone="danger">{t.notAllowed(shown)}</FieldHint>
            {onAdd && (
              <Button size="compact-xs" variant="default" onClick={() => addAddress(shown, onAdd)}>
                {t.addIt(shown)}
              </Button>
            )}
          </Group>
        )}
      </div>
    </div>
  );
}

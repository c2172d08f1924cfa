import { formatAddress, NetworkWhitelist, parseAddress, readNetworkEntry } from '@countersign/contract';
import { Button, Group, Textarea, TextInput } from '@mantine/core';
import { ClipboardPaste, FlaskConical, MonitorSmartphone } from 'lucide-react';
import { type KeyboardEvent, type ReactElement, useState } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { FieldHint } from '../components/field-hint.tsx';
import { useMessages } from '../messages/messages.ts';
import classes from './network-editor.module.css';
import type { AddEntries } from './network-editor.tsx';
import type { NetworkItem } from './network-item.ts';
import { type PastedEntries, readPastedEntries } from './pasted-entries.ts';

/** What `NetworkTools` needs. */
export interface NetworkToolsProps {
  readonly items: readonly NetworkItem[];
  readonly onAdd: AddEntries;
}

/** What helps to fill a whitelist: this browser's address, many at once, and a test. */
export function NetworkTools({ items, onAdd }: NetworkToolsProps): ReactElement {
  const t = useMessages('networkEditor').tools;
  const [panel, setPanel] = useState<'many' | 'test'>();
  const toggle = (next: 'many' | 'test'): void => setPanel(panel === next ? undefined : next);
  return (
    <div>
      <div className={classes.tools}>
        <BrowserAddress items={items} onAdd={onAdd} />
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<ClipboardPaste size={15} aria-hidden />}
          aria-expanded={panel === 'many'}
          onClick={() => toggle('many')}
        >
          {t.many}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<FlaskConical size={15} aria-hidden />}
          aria-expanded={panel === 'test'}
          onClick={() => toggle('test')}
        >
          {t.test}
        </Button>
      </div>
      {panel === 'many' && <ManyEntries onAdd={onAdd} onClose={() => setPanel(undefined)} />}
      {panel === 'test' && <AddressTest items={items} onAdd={onAdd} />}
    </div>
  );
}

/** Adds the address from which this browser calls, as the service sees it. */
function BrowserAddress({ items, onAdd }: NetworkToolsProps): ReactElement | null {
  const t = useMessages('networkEditor').tools;
  const source = useApiQuery('getSource');
  const [note, setNote] = useState('');
  const text = source.data?.sourceAddress;
  const address = text === undefined ? undefined : parseAddress(text);
  const add = (): void => {
    if (text === undefined || address === undefined) return setNote(t.browserUnknown);
    if (NetworkWhitelist.fromTexts(items.map(({ entry }) => entry)).allows(address))
      return setNote(t.browserCovered(text));
    const reading = readNetworkEntry(text);
    if (reading.ok) onAdd([{ entry: reading.entry, label: '' }]);
    setNote('');
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<MonitorSmartphone size={15} aria-hidden />}
        onClick={add}
        loading={source.isFetching && source.data === undefined}
      >
        {text === undefined ? t.browser : t.browserOf(text)}
      </Button>
      {note !== '' && (
        <div className={classes.note}>
          <FieldHint isLive>{note}</FieldHint>
        </div>
      )}
    </>
  );
}

/** What `ManyEntries` needs. */
interface ManyEntriesProps {
  readonly onAdd: AddEntries;
  readonly onClose: () => void;
}

/** A field for many entries; lines that cannot be read stay in it, with what to write instead. */
function ManyEntries({ onAdd, onClose }: ManyEntriesProps): ReactElement {
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

/** Tells whether the list, as it is in the page, allows an address; by the same code as the service. */
function AddressTest({ items, onAdd }: NetworkToolsProps): ReactElement {
  const t = useMessages('networkEditor').test;
  const [text, setText] = useState('');
  const address = parseAddress(text.trim());
  const shown = address === undefined ? '' : formatAddress(address);
  const entries =
    address === undefined
      ? []
      : NetworkWhitelist.fromTexts(items.map(({ entry }) => entry)).entriesFor(address);
  const keepForm = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') event.preventDefault();
  };
  const add = (): void => {
    const reading = readNetworkEntry(shown);
    if (reading.ok) onAdd([{ entry: reading.entry, label: '' }]);
  };
  return (
    <div className={classes.panel}>
      <TextInput
        onKeyDown={keepForm}
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
        {address !== undefined && entries.length > 0 && (
          <FieldHint tone="success">{t.allowed(shown, entries.join(', '))}</FieldHint>
        )}
        {address !== undefined && entries.length === 0 && (
          <Group gap="xs" align="center">
            <FieldHint tone="danger">{t.notAllowed(shown)}</FieldHint>
            <Button size="compact-xs" variant="default" onClick={add}>
              {t.addIt(shown)}
            </Button>
          </Group>
        )}
      </div>
    </div>
  );
}

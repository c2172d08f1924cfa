import { formatAddress, NetworkWhitelist, parseAddress, readNetworkEntry } from '@countersign/contract';
import { Button, Group, Textarea, TextInput } from '@mantine/core';
import { ClipboardPaste, FlaskConical, MonitorSmartphone } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { FieldHint } from '../components/notice.tsx';
import { networkEditor } from '#messages/network-editor.ts';
import classes from './network-editor.module.css';
import { isAllowed, type NetworkItem } from './network-item.ts';
import { type AddEntries, type PastedEntries, readPastedEntries } from './pasted-entries.ts';

interface NetworkToolsProps {
  readonly items: readonly NetworkItem[];
  /** Undefined: the list is read-only, and addresses can only be tested. */
  readonly onAdd: AddEntries | undefined;
}

/** Adds this browser's address, adds many entries at once, tests an address. */
export function NetworkTools({ items, onAdd }: NetworkToolsProps): ReactElement {
  const t = networkEditor.tools;
  const [panel, setPanel] = useState<'many' | 'test'>();
  const toggle = (next: 'many' | 'test'): void => setPanel(panel === next ? undefined : next);
  return (
    <div>
      <div className={classes.tools}>
        {onAdd && (
          <>
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
          </>
        )}
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
      {panel === 'many' && onAdd && <ManyEntries onAdd={onAdd} onClose={() => setPanel(undefined)} />}
      {panel === 'test' && <AddressTest items={items} onAdd={onAdd} />}
    </div>
  );
}

interface BrowserAddressProps {
  readonly items: readonly NetworkItem[];
  readonly onAdd: AddEntries;
}

function BrowserAddress({ items, onAdd }: BrowserAddressProps): ReactElement {
  const t = networkEditor.tools;
  const source = useApiQuery('getSource');
  const [note, setNote] = useState('');
  const text = source.data?.sourceAddress;
  const add = (): void => {
    if (text === undefined || parseAddress(text) === undefined) return setNote(t.browserUnknown);
    if (isAllowed(items, text)) return setNote(t.browserCovered(text));
    addAddress(text, onAdd);
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

interface ManyEntriesProps {
  readonly onAdd: AddEntries;
  readonly onClose: () => void;
}

const unreadShownMax = 5;

/** Adds many entries at once. Lines that cannot be read stay in the field, each with advice. */
function ManyEntries({ onAdd, onClose }: ManyEntriesProps): ReactElement {
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
function AddressTest({ items, onAdd }: NetworkToolsProps): ReactElement {
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

/** Adds an address as it was received. */
export function addAddress(address: string, onAdd: AddEntries): void {
  const reading = readNetworkEntry(address);
  if (reading.ok) onAdd([{ entry: reading.entry, label: '' }]);
}

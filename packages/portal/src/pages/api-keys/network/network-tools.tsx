import { NetworkWhitelist, parseAddress, readNetworkEntry } from '@countersign/contract';
import { Button } from '@mantine/core';
import { ClipboardPaste, FlaskConical, MonitorSmartphone } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../../api/queries.ts';
import { FieldHint } from '../../../components/field-hint.tsx';
import { useMessages } from '../../../messages/messages.ts';
import { AddressTest } from './address-test.tsx';
import { ManyEntries } from './many-entries.tsx';
import classes from './network-editor.module.css';
import type { AddEntries } from './network-editor.tsx';
import type { NetworkItem } from './network-item.ts';

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

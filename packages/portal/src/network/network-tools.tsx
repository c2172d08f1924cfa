import { parseAddress } from '@countersign/contract';
import { Button } from '@mantine/core';
import { ClipboardPaste, FlaskConical, MonitorSmartphone } from 'lucide-react';
import { type ReactElement, Suspense, useState } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { FieldHint } from '../components/notice.tsx';
import { LoadingLines } from '../components/query-state.tsx';
import { networkEditor } from '#messages/network-editor.ts';
import { lazyPart } from '../session/lazy-part.ts';
import classes from './network-editor.module.css';
import { isAllowed, type NetworkItem } from './network-item.ts';
import { addAddress, type AddEntries } from './pasted-entries.ts';

const ManyEntries = lazyPart(async () => (await import('./network-panels.tsx')).ManyEntries);
const AddressTest = lazyPart(async () => (await import('./network-panels.tsx')).AddressTest);

export interface NetworkToolsProps {
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
      <Suspense fallback={<LoadingLines />}>
        {panel === 'many' && onAdd && <ManyEntries onAdd={onAdd} onClose={() => setPanel(undefined)} />}
        {panel === 'test' && <AddressTest items={items} onAdd={onAdd} />}
      </Suspense>
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

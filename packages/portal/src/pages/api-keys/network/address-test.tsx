import { formatAddress, NetworkWhitelist, parseAddress, readNetworkEntry } from '@countersign/contract';
import { Button, Group, TextInput } from '@mantine/core';
import { type KeyboardEvent, type ReactElement, useState } from 'react';
import { FieldHint } from '../../../components/field-hint.tsx';
import { useMessages } from '../../../messages/messages.ts';
import classes from './network-editor.module.css';
import type { NetworkToolsProps } from './network-tools.tsx';

/** Tells whether the list, as it is in the page, allows an address; by the same code as the service. */
export function AddressTest({ items, onAdd }: NetworkToolsProps): ReactElement {
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

import { ActionIcon, TextInput } from '@mantine/core';
import { X } from 'lucide-react';
import type { ReactElement } from 'react';
import { announce } from '../components/announce.ts';
import { FieldHint } from '../components/field-hint.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { useMessages } from '../messages/messages.ts';
import classes from './network-editor.module.css';
import type { NetworkEditorProps } from './network-editor.tsx';
import type { NetworkFacts, NetworkItem } from './network-item.ts';

/** What `EntryList` needs. */
export interface EntryListProps extends Pick<
  NetworkEditorProps,
  'items' | 'onChange' | 'entryErrors' | 'fieldId'
> {
  /** Of each item, in the same order. */
  readonly facts: readonly NetworkFacts[];
}

/** The entries, each with its label, what should be said of it, and a button that removes it. */
export function EntryList({ items, onChange, facts, entryErrors, fieldId }: EntryListProps): ReactElement {
  const t = useMessages('networkEditor');
  if (items.length === 0) return <div className={classes.empty}>{t.empty}</div>;
  const remove = (entry: string): void => {
    onChange(items.filter((item) => item.entry !== entry));
    announce(t.removed(entry));
    // The button that had the focus is gone.
    document.getElementById(fieldId)?.focus();
  };
  const relabel = (entry: string, label: string): void =>
    onChange(items.map((item) => (item.entry === entry ? { entry, label } : item)));
  return (
    <ul className={classes.list} aria-label={t.list}>
      {items.map((item, index) => (
        <EntryItem
          key={item.entry}
          item={item}
          facts={facts[index]}
          error={entryErrors?.get(item.entry)}
          onRemove={() => remove(item.entry)}
          onLabel={(label) => relabel(item.entry, label)}
        />
      ))}
    </ul>
  );
}

interface EntryItemProps {
  readonly item: NetworkItem;
  readonly facts: NetworkFacts | undefined;
  readonly error: string | undefined;
  readonly onRemove: () => void;
  readonly onLabel: (label: string) => void;
}

function EntryItem({ item, facts, error, onRemove, onLabel }: EntryItemProps): ReactElement {
  const t = useMessages('networkEditor');
  return (
    <li className={classes.item}>
      <code className={classes.address}>{item.entry}</code>
      {facts?.isEveryone ? (
        <span className={classes.badge}>
          <StatusBadge tone="warning">{t.everyone}</StatusBadge>
        </span>
      ) : (
        <span className={classes.size}>{facts?.addressBits !== undefined && t.size(facts.addressBits)}</span>
      )}
      <TextInput
        className={classes.itemLabel}
        size="xs"
        aria-label={t.labelOf(item.entry)}
        placeholder={t.label}
        value={item.label}
        maxLength={100}
        onChange={(event) => onLabel(event.currentTarget.value)}
        autoComplete="off"
      />
      <ActionIcon variant="subtle" color="gray" aria-label={t.remove(item.entry)} onClick={onRemove}>
        <X size={16} aria-hidden />
      </ActionIcon>
      <EntryNotes item={item} facts={facts} error={error} />
    </li>
  );
}

function EntryNotes({
  item,
  facts,
  error,
}: Pick<EntryItemProps, 'item' | 'facts' | 'error'>): ReactElement | null {
  const t = useMessages('networkEditor');
  if (error !== undefined)
    return (
      <div className={classes.note}>
        <FieldHint tone="danger">{error}</FieldHint>
      </div>
    );
  if (facts?.coveredBy !== undefined)
    return (
      <div className={classes.note}>
        <FieldHint>{t.coveredBy(facts.coveredBy)}</FieldHint>
      </div>
    );
  if (facts?.isEveryone)
    return (
      <div className={classes.note}>
        <FieldHint tone="warning">{t.everyoneOf(item.entry)}</FieldHint>
      </div>
    );
  if (!facts?.isVeryWide) return null;
  return (
    <div className={classes.note}>
      <FieldHint tone="warning">{t.veryWide}</FieldHint>
    </div>
  );
}

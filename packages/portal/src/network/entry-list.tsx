import { ActionIcon, TextInput, Tooltip } from '@mantine/core';
import { X } from 'lucide-react';
import type { ReactElement } from 'react';
import { FieldHint, StatusBadge } from '../components/notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { client } from '#messages/client.ts';
import { networkEditor as t } from '#messages/network-editor.ts';
import classes from './network-editor.module.css';
import type { NetworkFacts, NetworkItem } from './network-item.ts';
import type { SpecialKind } from './special-networks.ts';

interface EntryListProps {
  readonly items: readonly NetworkItem[];
  /** In the order of `items`. */
  readonly facts: readonly NetworkFacts[];
  /** Without it, entries cannot be removed. */
  readonly onRemove?: (item: NetworkItem) => void;
  readonly onLabel?: (entry: string, label: string) => void;
  readonly entryError?: (entry: string) => string | undefined;
  /** Set if the list is the stored one: it shows the last use. */
  readonly isStored?: boolean;
  readonly purpose?: 'clients' | 'portal';
}

export function EntryList(props: EntryListProps): ReactElement {
  const { items, facts, purpose } = props;
  const words = purpose === 'portal' ? t.portal : t;
  if (items.length === 0) return <div className={classes.empty}>{words.empty}</div>;
  return (
    <ul className={classes.list} aria-label={words.list}>
      {items.map((item, index) => (
        <EntryItem key={item.entry} {...props} item={item} fact={facts[index]} />
      ))}
    </ul>
  );
}

interface EntryItemProps extends EntryListProps {
  readonly item: NetworkItem;
  readonly fact: NetworkFacts | undefined;
}

function EntryItem(props: EntryItemProps): ReactElement {
  const { item, fact, onRemove, onLabel, isStored = false } = props;
  return (
    <li className={classes.item}>
      <code className={classes.address}>{item.entry}</code>
      {fact?.isEveryone ? (
        <span className={classes.badge}>
          <StatusBadge tone="warning">{t.everyone}</StatusBadge>
        </span>
      ) : (
        <span className={classes.size}>{fact?.addressBits !== undefined && t.size(fact.addressBits)}</span>
      )}
      {onLabel ? (
        <TextInput
          className={classes.itemLabel}
          size="xs"
          aria-label={t.labelOf(item.entry)}
          placeholder={t.label}
          value={item.label}
          maxLength={100}
          onChange={(event) => onLabel(item.entry, event.currentTarget.value)}
          autoComplete="off"
        />
      ) : (
        <bdi className={classes.itemLabel}>{item.label}</bdi>
      )}
      {onRemove && (
        <Tooltip label={t.remove(item.entry)} multiline maw={260}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.remove(item.entry)}
            onClick={() => onRemove(item)}
          >
            <X size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      <div className={classes.note}>
        <EntryNote {...props} />
        {isStored && <LastUse at={item.lastSeenAt} />}
      </div>
    </li>
  );
}

function EntryNote({ item, fact, entryError }: EntryItemProps): ReactElement | null {
  const error = entryError?.(item.entry);
  if (error !== undefined) return <FieldHint tone="danger">{error}</FieldHint>;
  if (fact?.coveredBy !== undefined) return <FieldHint>{t.coveredBy(fact.coveredBy)}</FieldHint>;
  if (fact?.isEveryone) return <FieldHint tone="warning">{t.everyoneOf(item.entry)}</FieldHint>;
  if (fact?.special !== undefined)
    return <FieldHint tone={specialTone(fact.special)}>{t.special[fact.special]}</FieldHint>;
  return fact?.isVeryWide ? <FieldHint tone="warning">{t.veryWide}</FieldHint> : null;
}

/** The tone for an entry that nothing, or hardly anything, can call from. */
export function specialTone(kind: SpecialKind): 'warning' | 'neutral' {
  return kind === 'netmask' || kind === 'multicast' || kind === 'reserved' ? 'warning' : 'neutral';
}

function LastUse({ at }: { readonly at: string | undefined }): ReactElement {
  const { lastSeen, never } = client.network;
  return (
    <span className={classes.lastUse}>
      {lastSeen}: {at === undefined ? never : <RelativeTime at={at} />}
    </span>
  );
}

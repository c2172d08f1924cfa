import { Modal, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useReturnFocus } from '../components/use-return-focus.ts';
import { palette as t } from '#messages/palette.ts';
import { useSession } from '../session/session-context.ts';
import classes from './palette.module.css';
import type { PaletteEntry } from './palette-source.ts';
import { paletteTextMax } from './palette-sources.ts';
import { noteEntry, recentEntries } from './recent-entries.ts';
import { type PaletteGroup, usePaletteResults } from './use-palette-results.ts';

interface PaletteDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Finds pages, clients, requests and documents by the typed text. */
export default function PaletteDialog({ opened, onClose }: PaletteDialogProps): ReactElement {
  useReturnFocus(opened);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t.title}
      size="lg"
      yOffset="10vh"
      classNames={{ body: classes['body'] ?? '' }}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      {opened && <Palette onClose={onClose} />}
    </Modal>
  );
}

function Palette({ onClose }: { readonly onClose: () => void }): ReactElement | null {
  const { account, person } = useSession();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const text = typed.trim();
  const results = usePaletteResults(text, account!);
  const owner = `${person?.userId} ${account?.accountId}`;
  const groups = text === '' ? recentGroup(owner) : results.groups;
  const entries = groups.flatMap((group) => group.entries);
  const current = Math.min(active, entries.length - 1);
  const optionId = (index: number): string => `${listId}-${index}`;
  useActiveInView(entries.length === 0 ? undefined : optionId(current));
  const open = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    noteEntry(owner, entry);
    onClose();
    navigate(entry.path);
  };
  const followKeys = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const next = nextIndex(event.key, current, entries.length);
    if (event.key === 'Enter') open(entries[current]);
    else if (next !== undefined) setActive(next);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        data-autofocus
        aria-label={t.title}
        placeholder={t.placeholder}
        leftSection={<Search size={16} aria-hidden />}
        value={typed}
        maxLength={paletteTextMax}
        autoComplete="off"
        spellCheck={false}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-activedescendant={entries.length > 0 ? optionId(current) : undefined}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={followKeys}
      />
      <div className={classes['status']} role="status">
        {statusOf(text, results.isBusy, entries.length)}
      </div>
      <div id={listId} role="listbox" aria-label={t.results} className={classes['list']}>
        {groups.map((group, index) => (
          <Group
            key={group.id}
            group={group}
            first={groups.slice(0, index).reduce((count, { entries: before }) => count + before.length, 0)}
            current={current}
            optionId={optionId}
            onOpen={open}
            onPoint={setActive}
          />
        ))}
      </div>
      {groups.some(({ hasFailed }) => hasFailed) && <p className={classes['failed']}>{t.failed}</p>}
    </>
  );
}

function recentGroup(owner: string): readonly PaletteGroup[] {
  const entries = recentEntries(owner);
  return entries.length === 0 ? [] : [{ id: 'recent', heading: t.recent, entries, hasFailed: false }];
}

function statusOf(text: string, isBusy: boolean, count: number): string {
  if (text === '') return count === 0 ? t.hint : '';
  if (count > 0) return t.count(count);
  return isBusy ? t.searching : t.nothing;
}

/** Returns the entry that a keystroke moves to; undefined if the keystroke is for the text field. */
function nextIndex(key: string, current: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (current + 1) % count;
  if (key === 'ArrowUp') return (current - 1 + count) % count;
  if (key === 'PageDown') return count - 1;
  return key === 'PageUp' ? 0 : undefined;
}

/** Scrolls to the option that the keyboard has reached. */
function useActiveInView(id: string | undefined): void {
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (id !== undefined && id !== before.current)
      document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
    before.current = id;
  }, [id]);
}

interface GroupProps {
  readonly group: PaletteGroup;
  /** The index of its first entry among all. */
  readonly first: number;
  readonly current: number;
  readonly optionId: (index: number) => string;
  readonly onOpen: (entry: PaletteEntry) => void;
  readonly onPoint: (index: number) => void;
}

function Group({ group, first, current, optionId, onOpen, onPoint }: GroupProps): ReactElement | null {
  const headingId = useId();
  if (group.entries.length === 0) return null;
  return (
    <div role="group" aria-labelledby={headingId}>
      <div id={headingId} className={classes['heading']}>
        {group.heading}
      </div>
      {group.entries.map((entry, position) => {
        const index = first + position;
        return (
          // The focus stays in the field, whose keys reach every option.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- see above
          <div
            key={entry.path}
            id={optionId(index)}
            role="option"
            aria-selected={index === current}
            className={classes['option']}
            onClick={() => onOpen(entry)}
            onPointerMove={() => onPoint(index)}
          >
            <bdi className={classes['title']}>{entry.title}</bdi>
            {entry.detail !== undefined && <bdi className={classes['detail']}>{entry.detail}</bdi>}
          </div>
        );
      })}
    </div>
  );
}

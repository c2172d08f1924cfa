import type { SignedInAccount } from '@countersign/contract';
import { type ReactElement, useId } from 'react';
import { Link, useLocation } from 'wouter';
import { useMessages } from '../messages/messages.ts';
import { isWithin, type NavigationEntry, type NavigationGroup, navigationOf } from './navigation-entries.ts';
import classes from './navigation.module.css';

interface NavigationProps {
  readonly account: SignedInAccount;
  /** Called when a link is followed: closes the drawer on phones. */
  readonly onNavigate?: () => void;
}

/** The links to all pages of the account. */
export function Navigation({ account, onNavigate }: NavigationProps): ReactElement {
  const t = useMessages('layout');
  return (
    <nav aria-label={t.navigation} className={classes['navigation']}>
      {navigationOf(account, t).map((group) => (
        <Group key={group.label ?? ''} group={group} onNavigate={onNavigate} />
      ))}
    </nav>
  );
}

function Group(props: {
  readonly group: NavigationGroup;
  readonly onNavigate: (() => void) | undefined;
}): ReactElement {
  const { label, entries } = props.group;
  const id = useId();
  return (
    <div className={classes['group']}>
      {label !== undefined && (
        <div id={id} className={classes['label']}>
          {label}
        </div>
      )}
      <ul aria-labelledby={label === undefined ? undefined : id} className={classes['list']}>
        {entries.map((entry) => (
          <li key={entry.path}>
            <EntryLink entry={entry} onNavigate={props.onNavigate} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function EntryLink(props: {
  readonly entry: NavigationEntry;
  readonly onNavigate: (() => void) | undefined;
}): ReactElement {
  const [path] = useLocation();
  const { path: entryPath, label, icon: Icon } = props.entry;
  const isCurrent = isWithin(path, entryPath);
  return (
    <Link
      href={entryPath}
      className={classes['link'] ?? ''}
      aria-current={isCurrent ? 'page' : undefined}
      {...(props.onNavigate && { onClick: props.onNavigate })}
    >
      <Icon size={17} strokeWidth={1.8} aria-hidden className={classes['icon']} />
      {label}
    </Link>
  );
}

import type { SignedInAccount } from '@countersign/contract';
import { lazy, type ReactElement, Suspense, useId } from 'react';
import { Link, useLocation } from 'wouter';
import { layout as t } from '#messages/layout.ts';
import { type NavigationLink, shownLinks } from '../routes.tsx';
import classes from './navigation.module.css';

const PendingCount = lazy(() => import('./pending-count.tsx'));

interface NavigationProps {
  readonly account: SignedInAccount;
  /** Closes the drawer on phones. */
  readonly onNavigate?: (() => void) | undefined;
}

/** Links to the account's pages, without pages that the person may not read. */
export function Navigation({ account, onNavigate }: NavigationProps): ReactElement {
  const links = shownLinks(account);
  const groups = [...new Set(links.map(({ group }) => group))];
  return (
    <nav aria-label={t.navigation} className={classes['navigation']}>
      {groups.map((group) => (
        <LinkGroup key={group ?? ''} label={group && t.groups[group]}>
          {links
            .filter((link) => link.group === group)
            .map((link) => (
              <li key={link.path}>
                <PageLink {...link} onNavigate={onNavigate} />
              </li>
            ))}
        </LinkGroup>
      ))}
    </nav>
  );
}

function LinkGroup(props: {
  readonly label: string | undefined;
  readonly children: readonly ReactElement[];
}): ReactElement {
  const { label, children } = props;
  const id = useId();
  return (
    <div>
      {label !== undefined && (
        <div id={id} className={classes['label']}>
          {label}
        </div>
      )}
      <ul aria-labelledby={label === undefined ? undefined : id} className={classes['list']}>
        {children}
      </ul>
    </div>
  );
}

function PageLink(
  props: NavigationLink & { readonly path: string; readonly onNavigate: (() => void) | undefined },
): ReactElement {
  const { path, title, icon: Icon, onNavigate, isForPendingChanges } = props;
  const [current] = useLocation();
  const isCurrent = current === path || (path !== '/' && current.startsWith(`${path}/`));
  return (
    <Link
      href={path}
      className={classes['link'] ?? ''}
      aria-current={isCurrent ? 'page' : undefined}
      {...(onNavigate && { onClick: onNavigate })}
    >
      <Icon size={17} strokeWidth={1.8} aria-hidden className={classes['icon']} />
      {title}
      {isForPendingChanges && (
        <Suspense>
          <PendingCount />
        </Suspense>
      )}
    </Link>
  );
}

import type { ReactElement } from 'react';
import { Notice } from '../components/notice.tsx';
import { layout as t } from '#messages/layout.ts';
import { useSession } from '../session/session-context.ts';
import classes from './layout.module.css';

/** Says on every page that the account is suspended or closed, and why. */
export function AccountStateBanner(): ReactElement | null {
  const { account } = useSession();
  if (account === undefined || account.status === 'active') return null;
  const words = t.accountStates[account.status];
  return (
    <aside className={classes['state']} aria-label={words.title}>
      <Notice tone="warning" title={words.title}>
        {words.text} {account.statusReason !== undefined && t.accountStateReason(account.statusReason)}
      </Notice>
    </aside>
  );
}

import type { SignedInAccount } from '@countersign/contract';
import type { ReactElement } from 'react';
import { memberRoleName } from '../components/member-role-name.ts';
import { layout as t } from '#messages/layout.ts';
import classes from './side-menus.module.css';

/** An account's name, and what the person is in it. */
export function AccountName({ account }: { readonly account: SignedInAccount }): ReactElement {
  const kind = account.acting ? t.actingFor : memberRoleName(t.roleNames, account.role);
  return (
    <span className={classes['account']}>
      <span className={classes['mark']} aria-hidden>
        {account.name.slice(0, 1).toUpperCase()}
      </span>
      <span className={classes['words']}>
        <span className={classes['name']}>{account.name}</span>
        <span className={classes['kind']}>{kind}</span>
      </span>
    </span>
  );
}

import type { SignedInAccount } from '@countersign/contract';
import { Menu, UnstyledButton } from '@mantine/core';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { memberRoleName } from '../components/member-role-name.ts';
import { layout as t } from '#messages/layout.ts';
import { useSession } from '../session/session-context.ts';
import classes from './side-menus.module.css';

/** Shows the current account and switches to others. */
export function AccountSwitcher({ onSwitch }: { readonly onSwitch?: () => void }): ReactElement | null {
  const { account, accounts, switchAccount } = useSession();
  const [, navigate] = useLocation();
  if (account === undefined) return null;
  if (accounts.length === 1) {
    return (
      <div className={`${classes['menu']} ${classes['switcher']}`}>
        <AccountName account={account} />
      </div>
    );
  }
  const choose = (accountId: string): void => {
    switchAccount(accountId);
    navigate('/');
    onSwitch?.();
  };
  return (
    <Menu position="bottom-start" width="target">
      <Menu.Target>
        <UnstyledButton className={`${classes['menu']} ${classes['switcher']}`} data-interactive>
          <AccountName account={account} />
          <span className="portal-visually-hidden">, {t.switchAccount}</span>
          <ChevronsUpDown size={15} aria-hidden className={classes['chevrons']} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.yourAccounts}</Menu.Label>
        {accounts.map((each) => (
          <Menu.Item
            key={each.accountId}
            onClick={() => choose(each.accountId)}
            aria-current={each.accountId === account.accountId ? 'true' : undefined}
            rightSection={each.accountId === account.accountId ? <Check size={15} aria-hidden /> : undefined}
          >
            <AccountName account={each} />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountName({ account }: { readonly account: SignedInAccount }): ReactElement {
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

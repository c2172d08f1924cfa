import { UnstyledButton } from '@mantine/core';
import { ChevronsUpDown } from 'lucide-react';
import type { ReactElement } from 'react';
import { laterMenu, MenuOnDemand } from '../components/menu-on-demand.tsx';
import { layout as t } from '#messages/layout.ts';
import { useSession } from '../session/session-context.ts';
import { AccountName } from './account-name.tsx';
import classes from './side-menus.module.css';

const choices = laterMenu(async () => (await import('./side-menus.tsx')).AccountChoices);

/** Shows the current account and switches to others. */
export function AccountSwitcher({ onSwitch }: { readonly onSwitch?: () => void }): ReactElement | null {
  const { account, accounts } = useSession();
  if (account === undefined) return null;
  if (accounts.length === 1) {
    return (
      <div className={`${classes['menu']} ${classes['switcher']}`}>
        <AccountName account={account} />
      </div>
    );
  }
  return (
    <MenuOnDemand menu={choices} onChoose={onSwitch}>
      {(props) => (
        <UnstyledButton className={`${classes['menu']} ${classes['switcher']}`} data-interactive {...props}>
          <AccountName account={account} />
          <span className="portal-visually-hidden">, {t.switchAccount}</span>
          <ChevronsUpDown size={15} aria-hidden className={classes['chevrons']} />
        </UnstyledButton>
      )}
    </MenuOnDemand>
  );
}

import { Menu, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { Check, CircleUserRound, LogOut, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import type { MenuProps } from '../components/menu-on-demand.tsx';
import { notify } from '../components/notify.ts';
import { layout as t } from '#messages/layout.ts';
import { chooseLanguage, type Language, languages, shownLanguage } from '../session/languages.ts';
import { useSession } from '../session/session-context.ts';
import { AccountName } from './account-name.tsx';
import classes from './side-menus.module.css';

/** The signed-in person's menu: profile, appearance, sign-out. */
export function PersonChoices({ button, isOpen, onChange, onChoose }: MenuProps): ReactElement {
  const { signOut } = useSession();
  const [, navigate] = useLocation();
  return (
    <Menu position="top-start" width="target" opened={isOpen} onChange={onChange}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<CircleUserRound size={16} aria-hidden />}
          onClick={() => {
            navigate('/settings/profile');
            onChoose?.();
          }}
        >
          {t.profile}
        </Menu.Item>
        <Menu.Divider />
        <ColorSchemeItems />
        <Menu.Divider />
        <LanguageItems />
        <Menu.Divider />
        <Menu.Item
          leftSection={<LogOut size={16} aria-hidden />}
          onClick={() => void signOut().catch((error: unknown) => notify.error(error))}
        >
          {t.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const schemes: readonly { readonly scheme: MantineColorScheme; readonly icon: LucideIcon }[] = [
  { scheme: 'light', icon: Sun },
  { scheme: 'dark', icon: Moon },
  { scheme: 'auto', icon: Monitor },
];

function ColorSchemeItems(): ReactElement {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const names: Readonly<Record<MantineColorScheme, string>> = {
    light: t.light,
    dark: t.dark,
    auto: t.system,
  };
  return (
    <>
      <Menu.Label>{t.colorScheme}</Menu.Label>
      <Menu.RadioGroup
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
      >
        {schemes.map(({ scheme, icon: Icon }) => (
          <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
            <span className={classes['scheme']}>
              <Icon size={16} aria-hidden />
              {names[scheme]}
            </span>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

function LanguageItems(): ReactElement {
  return (
    <>
      <Menu.Label>{t.language}</Menu.Label>
      <Menu.RadioGroup value={shownLanguage()} onChange={(language) => chooseLanguage(language as Language)}>
        {Object.entries(languages).map(([language, name]) => (
          <Menu.RadioItem key={language} value={language} lang={language}>
            {name}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

/** The menu of a person's accounts. */
export function AccountChoices({ button, isOpen, onChange, onChoose }: MenuProps): ReactElement {
  const { account, accounts, switchAccount } = useSession();
  const [, navigate] = useLocation();
  const choose = (accountId: string): void => {
    switchAccount(accountId);
    navigate('/');
    onChoose?.();
  };
  return (
    <Menu position="bottom-start" width="target" opened={isOpen} onChange={onChange}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.yourAccounts}</Menu.Label>
        {accounts.map((each) => (
          <Menu.Item
            key={each.accountId}
            onClick={() => choose(each.accountId)}
            aria-current={each.accountId === account?.accountId ? 'true' : undefined}
            rightSection={each.accountId === account?.accountId ? <Check size={15} aria-hidden /> : undefined}
          >
            <AccountName account={each} />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

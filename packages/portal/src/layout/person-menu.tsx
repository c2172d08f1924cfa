import { Menu, type MantineColorScheme, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { CircleUserRound, LogOut, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { notify } from '../components/notify.ts';
import { layout as t } from '#messages/layout.ts';
import { chooseLanguage, type Language, languages, shownLanguage } from '../session/languages.ts';
import { usePerson, useSession } from '../session/session-context.ts';
import classes from './side-menus.module.css';

/** The signed-in person's menu: profile, appearance, sign-out. */
export function PersonMenu({ onNavigate }: { readonly onNavigate?: () => void }): ReactElement {
  const person = usePerson();
  const { signOut } = useSession();
  const [, navigate] = useLocation();
  return (
    <Menu position="top-start" width="target">
      <Menu.Target>
        <UnstyledButton className={`${classes['menu']} ${classes['person']}`}>
          <span className={classes['mark']} aria-hidden>
            {initialsOf(person.name)}
          </span>
          <span className={classes['words']}>
            <span className={classes['name']}>{person.name}</span>
            <span className={classes['email']}>{person.email}</span>
          </span>
          <span className="portal-visually-hidden">, {t.personMenu}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<CircleUserRound size={16} aria-hidden />}
          onClick={() => {
            navigate('/settings/profile');
            onNavigate?.();
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

/** Returns at most two letters. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return [first, last]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
}

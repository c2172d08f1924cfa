import { UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';
import { laterMenu, MenuOnDemand } from '../components/menu-on-demand.tsx';
import { layout as t } from '#messages/layout.ts';
import { usePerson } from '../session/session-context.ts';
import classes from './side-menus.module.css';

const choices = laterMenu(async () => (await import('./side-menus.tsx')).PersonChoices);

/** The button of the signed-in person's menu. */
export function PersonMenu({ onNavigate }: { readonly onNavigate?: () => void }): ReactElement {
  const person = usePerson();
  return (
    <MenuOnDemand menu={choices} onChoose={onNavigate}>
      {(props) => (
        <UnstyledButton className={`${classes['menu']} ${classes['person']}`} {...props}>
          <span className={classes['mark']} aria-hidden>
            {initialsOf(person.name)}
          </span>
          <span className={classes['words']}>
            <span className={classes['name']}>{person.name}</span>
            <span className={classes['email']}>{person.email}</span>
          </span>
          <span className="portal-visually-hidden">, {t.personMenu}</span>
        </UnstyledButton>
      )}
    </MenuOnDemand>
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

import type { MouseEvent } from 'react';
import { components as t } from '#messages/components.ts';

interface Clearable {
  readonly clearable: true;
  readonly clearSectionMode: 'clear';
  readonly clearButtonProps: {
    readonly 'aria-label': string;
    readonly 'aria-hidden': false;
    readonly tabIndex: 0;
    readonly size: '24';
    readonly onClick: (event: MouseEvent<HTMLButtonElement>) => void;
  };
}

/** Lets people clear a select, from the keyboard too: Mantine's button is for pointers alone. */
export function clearable(label: string): Clearable {
  return {
    clearable: true,
    clearSectionMode: 'clear',
    clearButtonProps: {
      'aria-label': t.clear(label),
      'aria-hidden': false,
      tabIndex: 0,
      size: '24',
      // The button goes away, and would take the focus with it.
      onClick: ({ currentTarget, detail }) => {
        if (detail === 0) currentTarget.closest('.mantine-Select-root')?.querySelector('input')?.focus();
      },
    },
  };
}

import type { ReactElement, ReactNode } from 'react';
import classes from './status-badge.module.css';

/** How something is meant: also said by the words, never by the colour alone. */
export type Tone = 'success' | 'warning' | 'danger' | 'neutral' | 'info';

interface StatusBadgeProps {
  readonly tone: Tone;
  readonly children: ReactNode;
}

/** A state in a word or two. */
export function StatusBadge({ tone, children }: StatusBadgeProps): ReactElement {
  return (
    <span className={classes['badge']} data-tone={tone}>
      <span className={classes['mark']} aria-hidden />
      {children}
    </span>
  );
}

import type { ReactElement, ReactNode } from 'react';
import classes from './facts.module.css';

/** One fact: what it is about, and what is so. */
export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

/** Facts side by side, as many as fit. */
export function Facts({
  items,
  isNarrow = false,
}: {
  readonly items: readonly Fact[];
  /** For the small facts of a card. */
  readonly isNarrow?: boolean;
}): ReactElement {
  return (
    <dl className={classes.facts} data-narrow={isNarrow || undefined}>
      {items.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

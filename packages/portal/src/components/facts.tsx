import type { ReactElement, ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

export function Facts({
  items,
  isNarrow = false,
}: {
  readonly items: readonly Fact[];
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

interface DescribedFactProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A term and its description, for a `dl` laid out by its page. */
export function DescribedFact({ label, children }: DescribedFactProps): ReactElement {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

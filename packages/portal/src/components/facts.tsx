import type { ReactElement, ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

interface FactsProps {
  readonly items: readonly Fact[];
  /** For small cards, or for long values. */
  readonly width?: 'narrow' | 'wide';
}

export function Facts({ items, width }: FactsProps): ReactElement {
  return (
    <dl className={classes.facts} data-width={width}>
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

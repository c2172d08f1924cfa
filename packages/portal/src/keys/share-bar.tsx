import type { ReactElement } from 'react';
import { formatPercent } from '#messages/plural.ts';
import classes from './share-bar.module.css';

interface ShareBarProps {
  readonly share: number;
  readonly tone?: 'accent' | 'muted';
}

export function ShareBar({ share, tone = 'accent' }: ShareBarProps): ReactElement {
  return (
    <div className={classes.shareBar} aria-hidden="true">
      <div data-tone={tone} style={{ width: `${Math.round(share * 1000) / 10}%` }} />
    </div>
  );
}

/** Formats whole percents, and keeps tiny shares visible. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.01) return `<${formatPercent(0.01)}`;
  if (share > 0.99 && share < 1) return `>${formatPercent(0.99)}`;
  return formatPercent(Math.round(share * 100) / 100);
}

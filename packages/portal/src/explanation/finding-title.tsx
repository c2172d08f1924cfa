import type { RequestEntry } from '@countersign/contract';
import { findingTitles } from '#messages/finding-titles.ts';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { outcomeTone } from './outcome-tone.ts';

interface FindingTitleProps {
  readonly code: string;
  /** Stands for a mistake that only a newer service knows. */
  readonly unknown: string;
}

/** The title of a mistake. */
export function FindingTitle({ code, unknown }: FindingTitleProps): ReactElement {
  return <>{findingTitles.get(code) ?? unknown}</>;
}

/** The mistake that was found in a rejected request, in the color of its outcome. The code is in the title. */
export function FindingBadge({ entry }: { readonly entry: RequestEntry }): ReactElement {
  const { outcome, isObserved, findingCode = '' } = entry;
  const title = findingTitles.get(findingCode);
  if (title === undefined) return <OutcomeBadge outcome={outcome} isObserved={isObserved} />;
  return (
    <span title={`${title} (${outcome})`}>
      <StatusBadge tone={outcomeTone(outcome, isObserved)}>{title}</StatusBadge>
    </span>
  );
}

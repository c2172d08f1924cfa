import { problemTitle } from '#messages/problem-titles.ts';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { letThrough, outcomes as titles } from '#messages/outcomes.ts';
import { outcomeTone } from './outcome-tone.ts';

interface OutcomeBadgeProps {
  readonly outcome: string;
  /** True if the request passed in spite of the outcome. */
  readonly isObserved: boolean;
}

/** Shows a request's outcome in a few words, with the code in the title. */
export function OutcomeBadge({ outcome, isObserved }: OutcomeBadgeProps): ReactElement {
  const title = outcomeTitle(outcome);
  return (
    <span title={outcome === 'accepted' ? undefined : outcome}>
      <StatusBadge tone={outcomeTone(outcome, isObserved)}>
        {isObserved && outcome !== 'accepted' ? letThrough(title) : title}
      </StatusBadge>
    </span>
  );
}

/** Returns a code's meaning in a few words, or the code itself if only a newer service knows it. */
export function outcomeTitle(outcome: string): string {
  if (Object.hasOwn(titles, outcome)) return titles[outcome] ?? outcome;
  return problemTitle(outcome) ?? outcome;
}

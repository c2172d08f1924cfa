import { problems } from '@countersign/contract/problems';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { letThrough, outcomes as titles } from '../messages/en/outcomes.ts';
import { isRefusal } from '../requests/refusal.ts';

interface OutcomeBadgeProps {
  readonly outcome: string;
  /** True if the request passed in spite of the outcome. */
  readonly isObserved: boolean;
}

/** Shows a request's outcome in a few words, with the code in the title. */
export function OutcomeBadge({ outcome, isObserved }: OutcomeBadgeProps): ReactElement {
  if (outcome === 'accepted') return <StatusBadge tone="success">{outcomeTitle(outcome)}</StatusBadge>;
  if (isObserved) {
    return (
      <span title={outcome}>
        <StatusBadge tone="warning">{letThrough(outcomeTitle(outcome))}</StatusBadge>
      </span>
    );
  }
  if (!isRefusal(outcome)) {
    return (
      <span title={outcome}>
        <StatusBadge tone="neutral">{outcomeTitle(outcome)}</StatusBadge>
      </span>
    );
  }
  const status = Object.hasOwn(problems, outcome) ? problems[outcome as keyof typeof problems].status : 400;
  // A 5xx is not the caller's mistake.
  return (
    <span title={outcome}>
      <StatusBadge tone={status >= 500 ? 'warning' : 'danger'}>{outcomeTitle(outcome)}</StatusBadge>
    </span>
  );
}

/** Returns a code's meaning in a few words, or the code itself if only a newer service knows it. */
export function outcomeTitle(outcome: string): string {
  if (Object.hasOwn(titles, outcome)) return titles[outcome] ?? outcome;
  return Object.hasOwn(problems, outcome) ? problems[outcome as keyof typeof problems].title : outcome;
}

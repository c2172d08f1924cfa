import { problems } from '@countersign/contract/problems';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { messagesOf } from '../messages/messages.ts';

/** What became of a request, in a few words; the code is in the title of the element. */
export function OutcomeBadge({ outcome }: { readonly outcome: string }): ReactElement {
  if (outcome === 'accepted') return <StatusBadge tone="success">{outcomeTitle(outcome)}</StatusBadge>;
  const status = Object.hasOwn(problems, outcome) ? problems[outcome as keyof typeof problems].status : 400;
  // What the service could not do is not the caller's mistake.
  return (
    <span title={outcome}>
      <StatusBadge tone={status >= 500 ? 'warning' : 'danger'}>{outcomeTitle(outcome)}</StatusBadge>
    </span>
  );
}

/** What a code means, in a few words; the code itself where a newer service has one that this page does not know. */
export function outcomeTitle(outcome: string): string {
  const titles = messagesOf('outcomes');
  if (Object.hasOwn(titles, outcome)) return titles[outcome] ?? outcome;
  return Object.hasOwn(problems, outcome) ? problems[outcome as keyof typeof problems].title : outcome;
}

import type { RequestEntry } from '@countersign/contract';
import { type ReactElement, Suspense } from 'react';
import { lazyPart } from '../session/lazy-part.ts';
import { OutcomeBadge } from './outcome-badge.tsx';

/** The titles of all mistakes are more than the page itself. */
const FindingBadge = lazyPart(async () => (await import('./finding-title.tsx')).FindingBadge);

/** Shows what became of a request: the mistake that was found in a rejected one, otherwise its outcome. */
export function RequestOutcome({ entry }: { readonly entry: RequestEntry }): ReactElement {
  const { outcome, isObserved, findingCode } = entry;
  const badge = <OutcomeBadge outcome={outcome} isObserved={isObserved} />;
  if (findingCode === undefined || isObserved) return badge;
  return (
    <Suspense fallback={badge}>
      <FindingBadge entry={entry} />
    </Suspense>
  );
}

import type { FailureGroup } from '@countersign/contract';
import { problemTitle } from '#messages/problem-titles.ts';
import { type ReactElement, Suspense } from 'react';
import { Link } from 'wouter';
import { asSentence } from '../components/problem-words.ts';
import { RelativeTime } from '../components/relative-time.tsx';
import classes from '../components/rows.module.css';
import { client as clientWords } from '#messages/client.ts';
import { letThrough } from '#messages/outcomes.ts';
import { lazyPart } from '../session/lazy-part.ts';

const FindingTitle = lazyPart(async () => (await import('../explanation/finding-title.tsx')).FindingTitle);

const t = clientWords.overview;

interface FailureListProps {
  readonly groups: readonly FailureGroup[];
  /** Names the client of each entry. */
  readonly withClient?: boolean;
}

/** Groups of similar failures, each with a link to its last request. */
export function FailureList({ groups, withClient = false }: FailureListProps): ReactElement {
  return (
    <ul className={classes['rows']}>
      {groups.map((group) => (
        <li key={`${group.clientId} ${group.outcome} ${group.isObserved} ${group.findingCode}`}>
          <Link
            href={`/logs/requests?request=${encodeURIComponent(group.lastRequestId)}`}
            className={classes['row']}
          >
            <span className={classes['rowMain']}>
              <span className={classes['rowTitle']}>
                <Cause group={group} />
              </span>
              {withClient && <bdi className={classes['rowDetail']}>{group.clientName ?? group.clientId}</bdi>}
              <span className={classes['rowDetail']}>{detailOf(group)}</span>
            </span>
            <span className={classes['rowSide']}>
              <span className={classes['count']}>{t.times(group.count)}</span>
              <RelativeTime at={group.lastAt} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Names the mistake that was found, as the list of requests does; otherwise what the checks said. */
function Cause({ group }: { readonly group: FailureGroup }): ReactElement {
  const title = failureTitle(group);
  const { findingCode, isObserved } = group;
  if (findingCode === undefined || isObserved) return <>{title}</>;
  return (
    <Suspense fallback={title}>
      <FindingTitle code={findingCode} unknown={title} />
    </Suspense>
  );
}

function detailOf(group: FailureGroup): string {
  const { findingCode, isObserved, reason, outcome } = group;
  if (findingCode !== undefined && !isObserved) return failureTitle(group);
  return reason === undefined ? outcome : asSentence(reason);
}

function failureTitle({ outcome, isObserved }: FailureGroup): string {
  return isObserved ? letThrough(outcomeWords(outcome)) : outcomeWords(outcome);
}

/** Returns the title of the problem, or the outcome itself if this version does not know it. */
export function outcomeWords(outcome: string): string {
  return problemTitle(outcome) ?? outcome;
}

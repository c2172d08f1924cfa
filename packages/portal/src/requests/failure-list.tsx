import type { FailureGroup } from '@countersign/contract';
import { problemTitle } from '#messages/problem-titles.ts';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { CauseTitle } from '../explanation/cause-title.tsx';
import { asSentence } from '../components/problem-words.ts';
import { RelativeTime } from '../components/relative-time.tsx';
import classes from '../components/rows.module.css';
import { client as clientWords } from '#messages/client.ts';
import { letThrough } from '#messages/outcomes.ts';

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
                <CauseTitle findingCode={findingOf(group)} title={failureTitle(group)} />
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

/** The mistake that was found, as the list of requests names it. A request that was let through keeps its outcome. */
function findingOf({ findingCode, isObserved }: FailureGroup): string | undefined {
  return isObserved ? undefined : findingCode;
}

function detailOf(group: FailureGroup): string {
  const { reason, outcome } = group;
  if (findingOf(group) !== undefined) return failureTitle(group);
  return reason === undefined ? outcome : asSentence(reason);
}

function failureTitle({ outcome, isObserved }: FailureGroup): string {
  return isObserved ? letThrough(outcomeWords(outcome)) : outcomeWords(outcome);
}

/** Returns the title of the problem, or the outcome itself if this version does not know it. */
export function outcomeWords(outcome: string): string {
  return problemTitle(outcome) ?? outcome;
}

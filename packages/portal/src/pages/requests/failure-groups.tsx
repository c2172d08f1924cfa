import type { FailureGroup } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, Suspense, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { asSentence } from '../../components/problem-words.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { OutcomeBadge, outcomeTitle } from '../../explanation/outcome-badge.tsx';
import { type RollingPeriod, timeRangeQuery } from '../../lists/period.ts';
import { letThrough } from '../../messages/en/outcomes.ts';
import { lists } from '../../messages/en/lists.ts';
import { requests as t } from '../../messages/en/requests.ts';
import { requestsPath } from '../../requests/request-filters.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import classes from './requests.module.css';

const FindingTitle = lazyPart(async () => (await import('../../explanation/finding-title.tsx')).FindingTitle);

const shownAtFirst = 4;

interface FailureGroupsProps {
  readonly clientId: string | undefined;
  readonly period: RollingPeriod;
  readonly hrefOf: (requestId: string) => string;
}

/** Failures of a period, grouped by client and cause. Needs a `key` that changes with the period. */
export function FailureGroups({ clientId, period, hrefOf }: FailureGroupsProps): ReactElement | null {
  const [isOpen, setIsOpen] = useState(false);
  const [nowMs] = useState(Date.now);
  const { from } = timeRangeQuery({ period, from: undefined, to: undefined }, nowMs);
  const { data } = useApiQuery('listRequestFailures', {
    query: { ...(clientId !== undefined && { clientId }), ...(from !== undefined && { from }) },
  });
  if (!data || data.items.length === 0) return null;
  const { items, isComplete } = data;
  const text = t.failuresText(lists.periods[period]);
  const shown = isOpen ? items : items.slice(0, shownAtFirst);
  return (
    <Section title={t.failures} description={isComplete ? text : `${text} ${t.failuresPart}`} isFlush>
      <ul className={classes['groups']}>
        {shown.map((group) => (
          <Group
            key={`${group.clientId} ${group.outcome} ${group.isObserved} ${group.findingCode}`}
            group={group}
            period={period}
            hrefOf={hrefOf}
          />
        ))}
      </ul>
      {items.length > shownAtFirst && (
        <div className={classes['more']}>
          <Button variant="subtle" size="xs" onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? t.showFewerGroups : t.showAllGroups(items.length)}
          </Button>
        </div>
      )}
    </Section>
  );
}

interface GroupProps {
  readonly group: FailureGroup;
  readonly period: RollingPeriod;
  readonly hrefOf: (requestId: string) => string;
}

function Group({ group, period, hrefOf }: GroupProps): ReactElement {
  const {
    outcome,
    findingCode,
    isObserved,
    clientId,
    count,
    lastAt,
    lastRequestId,
    sourceAddresses,
    reason,
  } = group;
  const refused = isObserved ? letThrough(outcomeTitle(outcome)) : outcomeTitle(outcome);
  // Distinguishes the buttons of two groups.
  const title = findingCode === undefined ? refused : `${refused}, ${findingCode.replaceAll('_', ' ')}`;
  const client = group.clientName ?? clientId;
  return (
    <li className={classes['group']}>
      <div>
        <div className={classes['group-title']}>
          <OutcomeBadge outcome={outcome} isObserved={isObserved} />
          <bdi className={classes['group-client']} title={clientId}>
            {client}
          </bdi>
        </div>
        <div className={classes['group-reason']}>
          {findingCode !== undefined && (
            <Suspense fallback={null}>
              <FindingTitle code={findingCode} />
            </Suspense>
          )}
          {findingCode === undefined && reason !== undefined && asSentence(reason)}
        </div>
        <div className={classes['group-facts']}>
          {count === 1 ? t.failureOnce : t.failureCount(count)} · <RelativeTime at={lastAt} />
          {sourceAddresses.length > 0 && <> · {t.fromAddresses(sourceAddresses)}</>}
        </div>
      </div>
      <div className={classes['group-actions']}>
        <LinkButton
          to={hrefOf(lastRequestId)}
          variant="default"
          size="xs"
          aria-label={t.lookAtLastOf(title, client)}
        >
          {t.lookAtLast}
        </LinkButton>
        <LinkButton
          to={requestsPath({ clientId, outcome, period })}
          variant="subtle"
          size="xs"
          aria-label={t.showTheseOf(title, client)}
        >
          {t.showThese}
        </LinkButton>
      </div>
    </li>
  );
}

import type { FailureGroup } from '@countersign/contract';
import { Button } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { useApiQuery } from '../../api/queries.ts';
import { CauseTitle } from '../../explanation/cause-title.tsx';
import { outcomeTitle } from '../../explanation/outcome-badge.tsx';
import { outcomeTone } from '../../explanation/outcome-tone.ts';
import { type RollingPeriod, timeRangeQuery } from '../../lists/period.ts';
import { lists } from '#messages/lists.ts';
import { letThrough } from '#messages/outcomes.ts';
import { formatNumber } from '#messages/plural.ts';
import { requests as t } from '#messages/requests.ts';
import type { RequestFilters } from '../../requests/request-filters.ts';
import classes from './requests.module.css';

const shownAtFirst = 5;

interface FailureStripProps {
  readonly filters: RequestFilters;
  readonly period: RollingPeriod;
  readonly onChange: (filters: RequestFilters) => void;
  readonly hrefOf: (requestId: string) => string;
}

/** Failures of a period by cause: each filters the list, and opens its latest request. Needs a `key` that changes with the period. */
export function FailureStrip({ filters, period, onChange, hrefOf }: FailureStripProps): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const [nowMs] = useState(Date.now);
  const { clientId, outcome: chosen } = filters;
  const { from } = timeRangeQuery({ period, from: undefined, to: undefined }, nowMs);
  const { data } = useApiQuery('listRequestFailures', {
    query: { ...(clientId !== undefined && { clientId }), ...(from !== undefined && { from }) },
  });
  const causes = causesOf(data?.items ?? []).filter(({ latest }) => isChosen(latest, chosen));
  const shown = isOpen ? causes : causes.slice(0, shownAtFirst);
  return (
    <div className={classes['failures']} data-open={isOpen || undefined}>
      <h2>
        {t.failures} {data?.isComplete === false && t.failuresPart}
      </h2>
      {data && causes.length === 0 && t.noFailures(lists.periods[period])}
      <ul className={classes['causes']}>
        {shown.map((cause) => {
          const { outcome } = cause.latest;
          const isPressed = outcome === chosen;
          return (
            <CauseChip
              key={cause.key}
              cause={cause}
              isPressed={isPressed}
              onPress={() => onChange({ ...filters, outcome: isPressed ? undefined : outcome })}
              latestHref={hrefOf(cause.latest.lastRequestId)}
            />
          );
        })}
      </ul>
      {causes.length > shownAtFirst && (
        <Button variant="subtle" size="compact-xs" onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t.showFewer : t.showMore(causes.length - shownAtFirst)}
        </Button>
      )}
    </div>
  );
}

interface CauseChipProps {
  readonly cause: Cause;
  readonly isPressed: boolean;
  readonly onPress: () => void;
  readonly latestHref: string;
}

function CauseChip({ cause, isPressed, onPress, latestHref }: CauseChipProps): ReactElement {
  const { latest, count, clients } = cause;
  const { outcome, isObserved, findingCode } = latest;
  const title = isObserved ? letThrough(outcomeTitle(outcome)) : outcomeTitle(outcome);
  // Distinguishes the links of two mistakes with one outcome.
  const name = findingCode === undefined ? title : `${title}, ${findingCode.replaceAll('_', ' ')}`;
  return (
    <li className={classes['cause']}>
      <button
        type="button"
        className={classes['filter']}
        data-tone={outcomeTone(outcome, isObserved)}
        aria-pressed={isPressed}
        title={t.causeOf(title, clients)}
        onClick={onPress}
      >
        <span className={classes['title']}>
          <CauseTitle findingCode={findingCode} title={title} />
        </span>{' '}
        <strong>{formatNumber(count)}</strong>
      </button>
      <Link href={latestHref} className={classes['latest']} aria-label={t.lookAtLastOf(name)}>
        <ChevronRight size={14} aria-hidden />
      </Link>
    </li>
  );
}

/** Failed requests with the same outcome and mistake, of all clients. */
interface Cause {
  readonly key: string;
  readonly latest: FailureGroup;
  readonly count: number;
  readonly clients: readonly string[];
}

/** Adds up the groups of several clients, which begin with the most recent. The cause with most requests comes first. */
function causesOf(groups: readonly FailureGroup[]): readonly Cause[] {
  const causes = new Map<string, Cause>();
  for (const group of groups) {
    const key = `${group.outcome} ${group.isObserved} ${group.findingCode}`;
    const before = causes.get(key) ?? { latest: group, count: 0, clients: [] };
    const client = group.clientName ?? group.clientId;
    causes.set(key, {
      key,
      latest: before.latest,
      count: before.count + group.count,
      clients: [...before.clients, client],
    });
  }
  return [...causes.values()].toSorted((one, other) => other.count - one.count);
}

/** True if a list with this filter has such requests. */
function isChosen({ outcome, isObserved }: FailureGroup, chosen: string | undefined): boolean {
  if (chosen === undefined) return true;
  if (chosen === 'refused') return !isObserved;
  if (chosen === 'observed') return isObserved;
  return outcome === chosen;
}

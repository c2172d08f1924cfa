import type { OutageKind } from './outage-kinds.ts';
import type { OutageRound } from './outages.ts';

interface Column {
  readonly title: string;
  readonly width: number;
  readonly cell: (seen: readonly OutageRound[]) => string;
}

const nameWidth = 24;

const columns: readonly Column[] = [
  { title: 'paid', width: 7, cell: sum(({ accepted }) => accepted) },
  { title: 'sent again', width: 10, cell: sum(({ replaysTried }) => replaysTried) },
  { title: 'passed again', width: 12, cell: sum(({ replaysPassed }) => replaysPassed) },
  { title: '503', width: 6, cell: sum(refusedIn) },
  { title: 'slowest', width: 7, cell: slowest(({ slowestRefusalMs }) => slowestRefusalMs) },
  { title: 'in doubt', width: 8, cell: sum(({ inDoubt }) => inDoubt) },
  { title: 'met on the way', width: 14, cell: slowest(({ slowestOnTheWayMs }) => slowestOnTheWayMs) },
  { title: 'recovery median', width: 15, cell: median(({ recoveryMs }) => recoveryMs) },
  { title: 'slowest', width: 7, cell: slowest(({ recoveryMs }) => recoveryMs) },
];

/** The heading. */
export const outageHeading: string = lineOf(
  'outage',
  columns.map(({ title }) => title),
);

/** Sums up one kind of outage in a line. Times in milliseconds. */
export function outageLine({ name }: OutageKind, seen: readonly OutageRound[]): string {
  return lineOf(
    name,
    columns.map(({ cell }) => cell(seen)),
  );
}

/** Lists the broken promises of a round. */
export function outageViolations({ forgets }: OutageKind, round: OutageRound): readonly string[] {
  const { replaysPassed, slowestRefusalMs, recoveryMs, accepted, replaysTried, refused, wrong } = round;
  const found = [...new Set(wrong)];
  if (replaysPassed > 0) found.push(`${replaysPassed} replays passed`);
  if (slowestRefusalMs > refusalMsMax) found.push(`a refusal took ${slowestRefusalMs.toFixed(0)} ms`);
  if (recoveryMs > recoveryMsMax) found.push(`recovered only after ${recoveryMs.toFixed(0)} ms`);
  if (accepted < 20 || replaysTried < 20) found.push('there was too little traffic to show anything');
  const isNoticed = forgets ? (refused['recently_restarted'] ?? 0) > 0 : refusedIn(round) > 0;
  if (!isNoticed) found.push('the outage was not noticed');
  return found;
}

const refusalMsMax = 1000;
const recoveryMsMax = 5000;

function lineOf(name: string, cells: readonly string[]): string {
  return [name.padEnd(nameWidth), ...cells.map((cell, index) => cell.padStart(columns[index]!.width))].join(
    '  ',
  );
}

function refusedIn({ refused }: OutageRound): number {
  return Object.values(refused).reduce((total, count) => total + count, 0);
}

function sum(figure: (round: OutageRound) => number): Column['cell'] {
  return (seen) => String(seen.reduce((total, round) => total + figure(round), 0));
}

function slowest(figure: (round: OutageRound) => number): Column['cell'] {
  return (seen) => Math.max(...seen.map(figure)).toFixed(0);
}

function median(figure: (round: OutageRound) => number): Column['cell'] {
  return (seen) => {
    const sorted = seen.map(figure).toSorted((one, other) => one - other);
    return sorted[sorted.length >> 1]!.toFixed(0);
  };
}

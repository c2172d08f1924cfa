import { parseArgs } from 'node:util';
import { redisIsMissing } from '../../packages/server/test/replay/redis.ts';
import { type OutageKind, outageKinds } from './redis-outage-kinds.ts';
import { type OutageRound, runOutageRound } from './redis-outages.ts';

/** `npm run test:redis-outages -- --rounds 20`. Exit code 1 when a replay passed, or an answer or a recovery was late. */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1 || rounds > 1000) {
  console.error('Usage: npm run test:redis-outages -- [--rounds <1 to 1000>]');
  process.exit(2);
}
if (redisIsMissing !== false) {
  console.error(redisIsMissing);
  process.exit(2);
}

const decisionMsMax = 1000;
const recoveryMsMax = 5000;
const stallMsMax = 500;
let violations = 0;

console.log(`Three nodes, ${rounds} rounds of each outage. Times in milliseconds.\n`);
console.log(
  [
    'outage'.padEnd(26),
    'accepted',
    'sent again',
    'passed again',
    '   503',
    'slowest answer',
    'recovery median',
    'slowest',
  ].join('  '),
);
for (const kind of outageKinds) {
  const seen: OutageRound[] = [];
  while (seen.length < rounds) {
    const round = await runOutageRound(kind);
    // A machine that was put to sleep has no say about time.
    if (round.longestStallMs < stallMsMax || round.replaysPassed > 0) seen.push(round);
    else
      console.log(
        `this process stood still for ${round.longestStallMs.toFixed(0)} ms: the round is repeated`,
      );
  }
  console.log(lineOf(kind, seen));
  for (const round of seen) violations += reportViolations(kind, round);
}
console.log(`\n${violations} violations`);
process.exitCode = violations === 0 ? 0 : 1;

function lineOf(kind: OutageKind, seen: readonly OutageRound[]): string {
  const sum = (figure: (round: OutageRound) => number): string =>
    String(seen.reduce((total, round) => total + figure(round), 0));
  const recoveries = seen.map(({ recoveryMs }) => recoveryMs).toSorted((left, right) => left - right);
  return [
    kind.name.padEnd(26),
    sum(({ accepted }) => accepted).padStart(8),
    sum(({ replaysTried }) => replaysTried).padStart(10),
    sum(({ replaysPassed }) => replaysPassed).padStart(12),
    sum(({ refusedUnavailable, refusedForgotten }) => refusedUnavailable + refusedForgotten).padStart(6),
    Math.max(...seen.map(({ slowestDecisionMs }) => slowestDecisionMs))
      .toFixed(0)
      .padStart(14),
    recoveries[Math.floor(recoveries.length / 2)]!.toFixed(0).padStart(15),
    recoveries.at(-1)!.toFixed(0).padStart(7),
  ].join('  ');
}

function reportViolations(kind: OutageKind, round: OutageRound): number {
  const found: string[] = [];
  if (round.replaysPassed > 0) found.push(`${round.replaysPassed} replays passed`);
  if (round.unexpected.length > 0)
    found.push(`unexpected answers: ${[...new Set(round.unexpected)].join(', ')}`);
  if (round.slowestDecisionMs > decisionMsMax)
    found.push(`an answer took ${round.slowestDecisionMs.toFixed(0)} ms`);
  if (round.recoveryMs > recoveryMsMax) found.push(`recovered only after ${round.recoveryMs.toFixed(0)} ms`);
  if (round.accepted < 100 || round.replaysTried < 100)
    found.push('there was too little traffic to show anything');
  const isNoticed = round.refusedUnavailable > 0 && (!kind.forgets || round.refusedForgotten > 0);
  if (!isNoticed) found.push('the outage was not noticed');
  for (const violation of found) console.error(`VIOLATION ${kind.name}: ${violation}`);
  return found.length;
}

import { parseArgs } from 'node:util';
import { type GuardKind, guardKinds, startCluster, whyMissing } from './cluster.ts';
import { changeDeadlineMs, type ChangesResult, runChanges } from './changes.ts';
import { type EqualRequestsResult, runEqualRequests } from './equal-requests.ts';

const usage = `Usage: npm run test:cluster -- [--guard redis|postgres] [--rounds <n>] [--distinct <n>] [--trials <n>]

  --guard      the guard of the three nodes; both, one after the other, unless set
  --rounds     rounds of 50 equal requests, spread at random (1000)
  --distinct   requests that all differ (100000)
  --trials     changes of the registry under load (1000)

What is 0 is left out. Exit code 1 when a replay was accepted, a new request refused or a change late.`;

let violations = 0;
const { guards, rounds, distinct, trials } = readOptions();
for (const guard of guards) {
  const missing = whyMissing(guard);
  if (missing !== false) {
    console.error(missing);
    process.exit(2);
  }
  const cluster = await startCluster(guard);
  try {
    if (rounds + distinct > 0)
      reportEqual(guard, await runEqualRequests(cluster, { rounds, copies: 50, distinct }));
    if (trials > 0) reportChanges(guard, await runChanges(cluster, { trials, atOnce: 6 }));
  } finally {
    await cluster.close();
  }
}
console.log(`${violations} violations`);
process.exitCode = violations === 0 ? 0 : 1;

function readOptions(): { guards: readonly GuardKind[]; rounds: number; distinct: number; trials: number } {
  try {
    const { values } = parseArgs({
      options: {
        guard: { type: 'string' },
        rounds: { type: 'string', default: '1000' },
        distinct: { type: 'string', default: '100000' },
        trials: { type: 'string', default: '1000' },
      },
    });
    const chosen = guardKinds.filter((kind) => values.guard === undefined || values.guard === kind);
    const numbers = [values.rounds, values.distinct, values.trials].map(Number);
    if (chosen.length === 0 || !numbers.every((number) => Number.isSafeInteger(number) && number >= 0))
      throw new Error(usage);
    const [ofEqual, ofDistinct, ofChanges] = numbers as [number, number, number];
    return { guards: chosen, rounds: ofEqual, distinct: ofDistinct, trials: ofChanges };
  } catch {
    console.error(usage);
    process.exit(2);
  }
}

function reportEqual(guard: GuardKind, result: EqualRequestsResult): void {
  const refused = Object.entries(result.distinctRefused);
  console.log(
    `${guard}: one of 50 equal requests accepted in ${result.goodRounds} of ${rounds} rounds (${result.equalPerSecond.toFixed(0)}/s)`,
  );
  console.log(
    `${guard}: ${result.distinctAccepted} of ${distinct} new requests accepted (${result.distinctPerSecond.toFixed(0)}/s)`,
  );
  for (const round of result.badRounds) console.error(`VIOLATION ${round}`);
  for (const [code, count] of refused) console.error(`VIOLATION ${count} new requests refused: ${code}`);
  violations += result.badRounds.length + refused.length;
}

function reportChanges(guard: GuardKind, result: ChangesResult): void {
  console.log(`${guard}: ${result.trials} changes, ${result.requests} requests meanwhile`);
  for (const { kind, through, trials: count, medianMs, slowestMs } of result.figures)
    console.log(
      `  ${kind.padEnd(10)} ${through.padEnd(14)} ${String(count).padStart(5)} trials; last acceptance elsewhere after ${medianMs.toFixed(0)} ms (median), ${slowestMs.toFixed(0)} ms (latest)`,
    );
  console.log(
    `  late: ${result.lateHere} on the node of the change, ${result.lateElsewhere} on others after ${changeDeadlineMs} ms; ${result.undecided} answers 503`,
  );
  for (const problem of result.unexpected) console.error(`VIOLATION ${problem}`);
  violations += result.lateHere + result.lateElsewhere + result.unexpected.length;
}

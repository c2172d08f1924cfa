import { parseArgs } from 'node:util';
import { type GuardKind, guardKinds, startCluster, whyMissing } from './cluster.ts';
import { outageKinds } from './outage-kinds.ts';
import { outageHeading, outageLine, outageViolations } from './outage-report.ts';
import { type OutageRound, Outages } from './outages.ts';

const usage = `Usage: npm run test:outages -- [--guard redis|postgres] [--only <words>] [--rounds <1 to 1000>]

  --guard    where three nodes have their replay guard; both, one after the other, unless set
  --only     only outages whose name contains this
  --rounds   how often each outage happens (3)

Exit code 1 when a replay passed, something refused was done, or a refusal or the recovery was late.`;

/** After a stall this long, times mean nothing. */
const stallMsMax = 500;
let violations = 0;

const { guards, rounds, only } = readOptions();
for (const guard of guards) {
  const missing = whyMissing(guard);
  if (missing !== false) {
    console.error(missing);
    process.exit(2);
  }
  await runAll(guard);
}
console.log(`\n${violations} violations`);
process.exitCode = violations === 0 ? 0 : 1;

function readOptions(): { guards: readonly GuardKind[]; rounds: number; only: string } {
  try {
    const { values } = parseArgs({
      options: {
        guard: { type: 'string' },
        only: { type: 'string', default: '' },
        rounds: { type: 'string', default: '3' },
      },
    });
    const chosen = guardKinds.filter((kind) => values.guard === undefined || values.guard === kind);
    const count = Number(values.rounds);
    if (chosen.length === 0 || !Number.isSafeInteger(count) || count < 1 || count > 1000)
      throw new Error(usage);
    return { guards: chosen, rounds: count, only: values.only };
  } catch {
    console.error(usage);
    process.exit(2);
  }
}

async function runAll(guard: GuardKind): Promise<void> {
  console.log(`\nThree nodes with their guard in ${guard}, ${rounds} rounds of each outage. Milliseconds.\n`);
  console.log(outageHeading);
  // As in production: an outage must be reported within a second.
  const cluster = await startCluster(guard, { COUNTERSIGN_GUARD_TIMEOUT_MS: '900' });
  try {
    const outages = await Outages.prepare(cluster);
    for (const kind of outageKinds[guard].filter(({ name }) => name.includes(only))) {
      const seen: OutageRound[] = [];
      while (seen.length < rounds) {
        const round = await outages.run(kind);
        if (round.longestStallMs < stallMsMax || round.replaysPassed > 0) seen.push(round);
        else console.log(`this process stood still for ${round.longestStallMs.toFixed(0)} ms: once more`);
      }
      console.log(outageLine(kind, seen));
      for (const violation of seen.flatMap((round) => outageViolations(kind, round))) {
        console.error(`VIOLATION ${kind.name}: ${violation}`);
        violations += 1;
      }
    }
  } finally {
    await cluster.close();
  }
}

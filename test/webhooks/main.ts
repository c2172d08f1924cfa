import { readCount, readOptions } from '../command-options.ts';
import { runHard } from './hard-run.ts';
import { runKills } from './kill-run.ts';

const usage = `Usage: npm run test:webhooks -- [--events 100000] [--minutes 20] [--rate 20]
       npm run test:webhooks -- --kills 500 [--minutes 20]

Two nodes on one PostgreSQL deliver events to receivers that are slow, dead, silent, lying, redirecting, limiting or gone, one of them
killed with SIGKILL every ten seconds. With --kills, nodes are killed at each step of a change and its delivery. Exit code 1 when an
event was lost, invented, out of order or had two IDs, when an address was connected to that is not allowed, or when memory grew.

  --rate    events a second at most: the latency of the API beside them says something only while the machine is not full

  npm run test:webhooks -- --events 5000 --minutes 2    a short one`;

const values = readOptions(usage, {
  events: { type: 'string', default: '100000' },
  minutes: { type: 'string', default: '20' },
  kills: { type: 'string' },
  rate: { type: 'string' },
});
const seconds = 60 * readCount(usage, 'minutes', values.minutes, 24 * 60);
const onProgress = (text: string): void => console.log(text);
const times = { attemptMsMax: 6000, leaseMs: 15_000, slowMs: 3500, retryScale: 1 / 10_000 };
/** In mebibytes. A service with nothing to do has about 150. */
const memoryMax = 500;

const isWell =
  values.kills === undefined
    ? await hard(readCount(usage, 'events', values.events, 10_000_000))
    : await kills(readCount(usage, 'kills', values.kills, 100_000));
process.exitCode = isWell ? 0 : 1;

async function hard(events: number): Promise<boolean> {
  const report = await runHard({
    events,
    eventsPerSecondMax: values.rate === undefined ? undefined : readCount(usage, 'rate', values.rate, 10_000),
    seconds,
    settleSeconds: 600,
    killEveryMs: 10_000,
    quietMs: 10_000,
    times,
    onProgress,
  });
  const { memory, latencyMs, violations } = report;
  const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  console.log(`
${report.events} events, ${report.acknowledged} changes acknowledged by the API, ${report.kills} kills
  delivered      ${report.delivered} (${report.perSecond.toFixed(0)} a second), given up ${report.failed}, held at a disabled webhook ${report.held}
  sent again     ${report.repeated} times, under the same ID
  memory         ${mebibytes(memory.early)}, then ${mebibytes(memory.late)}, at most ${mebibytes(memory.most)}
  latency        ${latencyMs.quiet.toFixed(1)} ms without events, ${latencyMs.busy.toFixed(1)} ms with them: ${(latencyMs.busy / latencyMs.quiet).toFixed(1)} times as long
  internal       ${report.forbiddenConnections} connections to addresses that are not allowed, of ${report.trustedConnections} counted to one that is`);
  for (const violation of violations) console.error(`VIOLATION ${violation}`);
  const hasGrown = memory.most > memoryMax * 2 ** 20 || memory.late > memory.early * 1.3;
  if (hasGrown) console.error('VIOLATION the memory grew');
  const isCounted = report.isProvokedCounted && report.trustedConnections > 0;
  if (!isCounted) console.error('VIOLATION connections to the internal server are not counted');
  return violations.length === 0 && !hasGrown && isCounted && report.forbiddenConnections === 0;
}

async function kills(count: number): Promise<boolean> {
  const report = await runKills({ kills: count, seconds, settleSeconds: 300, times, onProgress });
  console.log(
    `\n${report.acknowledged} changes acknowledged, ${report.inDoubt} in doubt, ${report.repeated} events sent again`,
  );
  for (const [step, killed] of Object.entries(report.kills))
    console.log(`  ${String(killed).padStart(5)}  ${step}`);
  console.log(`  ${String(report.late).padStart(5)}  did not come to their step`);
  console.log(`  delivered ${report.delivered}, given up ${report.failed}`);
  for (const violation of report.violations) console.error(`VIOLATION ${violation}`);
  return report.violations.length === 0;
}

import { parseArgs } from 'node:util';
import { type HonestFigures, runStrangers, type ServiceFigures } from './strangers.ts';

const usage = `Usage: npm run test:strangers -- [--idle 20000] [--reopened 1000] [--forged 5000] [--seconds 20]
                                 [--honest 100]

Measures honest signed requests to a service of its own: alone, then while strangers come all at once, then while they hold
idle connections, open again what the service ends, and send forged requests. Exit code 1 when an honest request failed, when
p99 among strangers is more than 3 times that without them, or when the service needs more than a gibibyte of memory. Nothing else should run meanwhile.`;

const count = (fallback: string) => ({ type: 'string', default: fallback }) as const;
const { values } = parseArgs({
  options: {
    idle: count('20000'),
    reopened: count('1000'),
    forged: count('5000'),
    seconds: count('20'),
    honest: count('100'),
    help: { type: 'boolean', default: false },
  },
});
const [idleCount, reopenedPerSecond, forgedPerSecond, seconds, honestPerSecond] = [
  values.idle,
  values.reopened,
  values.forged,
  values.seconds,
  values.honest,
].map(Number) as [number, number, number, number, number];
if (
  values.help ||
  [idleCount, reopenedPerSecond, forgedPerSecond, seconds, honestPerSecond].some((one) => !(one >= 0))
) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

const { alone, arriving, among, strangers, before, middle, after } = await runStrangers({
  idleCount,
  reopenedPerSecond,
  forgedPerSecond,
  seconds,
  honestPerSecond,
  processes: 4,
});
console.log(`alone      ${honest(alone)}`);
console.log(`arriving   ${honest(arriving)}`);
console.log(`among      ${honest(among)}`);
const statuses = Object.entries(strangers.answeredByStatus).map(([status, times]) => `${status}: ${times}`);
console.log(
  `strangers  ${strangers.idleCount} idle connections of ${idleCount}, ${strangers.openedCount} opened`,
);
console.log(`           ${strangers.sentCount} forged requests, answered ${statuses.join(', ')}`);
for (const [when, figures] of Object.entries({ before, middle, after }))
  console.log(`${when.padEnd(10)} ${service(figures)}`);

const ratio = among.p99Ms / alone.p99Ms;
const faults = [
  ...[alone, arriving, among].flatMap(({ failures }) =>
    Object.keys(failures).map((what) => `an honest request: ${what}`),
  ),
  ...(ratio > 3 ? [`p99 is ${ratio.toFixed(1)} times that without strangers`] : []),
  ...(after.residentBytes > 1_073_741_824 ? ['the service needs more than a gibibyte of memory'] : []),
];
for (const fault of faults) console.error(`FAILED ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);

function honest({ sentCount, failures, medianMs, p99Ms }: HonestFigures): string {
  const failed = Object.values(failures).reduce((sum, one) => sum + one, 0);
  return `${sentCount} honest requests, ${failed} failed, median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}

function service({
  residentBytes,
  openFiles,
  connections,
  connectionsMax,
  turnedAwayCount,
}: ServiceFigures): string {
  const mebibytes = (residentBytes / 1_048_576).toFixed(0);
  return `${mebibytes} MiB, ${openFiles} files, ${connections} of ${connectionsMax} connections, ${turnedAwayCount} turned away`;
}

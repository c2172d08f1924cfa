import { parseArgs } from 'node:util';
import { runSoak, type SoakSample } from './soak.ts';

const usage = `Usage: npm run test:soak -- [--minutes 30] [--share 0.7]

Sends a mix of everything to a gateway and its console: reads, writes, large bodies, changes of the registry, replays,
forgeries, connections that break off. Watches the memory and the descriptors of the process. Exit code 1 when an answer was
not the right one, or when either grew after the first third of the time.

  npm run test:soak -- --minutes 5    a short one`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    share: { type: 'string', default: '0.7' },
    help: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const share = Number(values.share);
if (values.help || !(minutes > 0 && minutes <= 24 * 60) || !(share > 0 && share <= 1)) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

let shownMs = 0;
const report = await runSoak({
  seconds: minutes * 60,
  share,
  onSample(sample, { perSecond, unexpected }) {
    if (performance.now() - shownMs < 15_000) return;
    shownMs = performance.now();
    console.log(`${line(sample)}, ${perSecond.toFixed(0)} requests/s, ${unexpected.length} wrong answers`);
  },
});

// The first third fills caches, pools and the request log's counters.
const later = report.samples.slice(Math.floor(report.samples.length / 3));
const half = Math.floor(later.length / 2);
const [early, late] = [later.slice(0, half), later.slice(half)].map((samples) => ({
  rss: median(samples.map(({ rssBytes }) => rssBytes)),
  descriptors: Math.max(...samples.map(({ descriptors }) => descriptors)),
}));
const grownShare = late!.rss / early!.rss - 1;
const { before, after } = report.descriptorsAtRest;
console.log(
  `\n${minutes} minutes at ${report.perSecond.toFixed(0)} of ${report.capacityPerSecond.toFixed(0)} requests/s`,
);
for (const [name, count] of Object.entries(report.counts))
  console.log(`  ${String(count).padStart(9)}  ${name}`);
console.log(
  `  memory       ${mebibytes(early!.rss)}, then ${mebibytes(late!.rss)} (median of each half after the first third)`,
);
console.log(
  `  descriptors  at most ${early!.descriptors}, then ${late!.descriptors}; at rest ${before} before, ${after} after`,
);
for (const unexpected of report.unexpected.slice(0, 20)) console.error(`WRONG ${unexpected}`);
console.log(`${report.unexpected.length} wrong answers`);
const hasGrown = grownShare > 0.1 || late!.descriptors > early!.descriptors + 20;
if (hasGrown) console.error('It grew.');
process.exitCode = report.unexpected.length > 0 || hasGrown ? 1 : 0;

function line({ seconds, rssBytes, descriptors }: SoakSample): string {
  return `${seconds.toFixed(0).padStart(5)} s: ${mebibytes(rssBytes)}, ${descriptors} descriptors`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)]!;
}

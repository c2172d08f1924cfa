import { readCount, readOptions, readSeed } from '../command-options.ts';
import { runCampaign, timeWorstInputs } from './campaign.ts';

const usage = `Usage: npm run test:mutations -- [--count 100000] [--seed <number>]

Changes signed requests at random and verifies them. Exit code 1 when one is accepted whose signed parts were changed, or when
anything else is wrong.

  npm run test:mutations -- --count 1000000 --seed 7    a run again`;

const values = readOptions(usage, {
  count: { type: 'string', default: '100000' },
  seed: { type: 'string' },
});
const count = readCount(usage, 'count', values.count);
const seed = readSeed(usage, values.seed);
const started = performance.now();
const report = runCampaign(count, seed, (done) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${count}`);
});
const seconds = (performance.now() - started) / 1000;
if (process.stderr.isTTY) process.stderr.write('\r');
console.log(`${count} mutated requests in ${seconds.toFixed(1)} s, seed ${seed}`);
console.log(`  refused   ${count - report.unchanged - report.violations.length}`);
for (const [code, number] of Object.entries(report.refusedByCode).toSorted(([, a], [, b]) => b - a)) {
  console.log(`            ${String(number).padStart(8)}  ${code}`);
}
console.log(`  accepted  ${report.unchanged}, all with everything that is signed unchanged`);
console.log(`  slowest   ${report.slowestMs.toFixed(2)} ms`);
console.log('The worst inputs of 16 KiB, best of three:');
for (const [name, ms] of Object.entries(timeWorstInputs(16_384)))
  console.log(`  ${ms.toFixed(3).padStart(8)} ms  ${name}`);
for (const violation of report.violations.slice(0, 20)) console.error(`VIOLATION ${violation}`);
console.log(`${report.violations.length} violations`);
process.exitCode = report.violations.length === 0 ? 0 : 1;

import type { AlgorithmName } from '@countersign/signature';
import { algorithmNames } from '@countersign/testing/key-pair';
import { misused, readCount, readOptions } from '../command-options.ts';
import { certain, type Comparison, measure, measureOverHttp } from './measure.ts';

const usage = `Usage: npm run test:timing -- [--samples 100000] [--algorithm <name>] [--http]

  --algorithm   only one of ${algorithmNames.join(', ')}

Measures how long refusals of check 8 take for unknown, unused, active, disabled clients and others, and for signatures below and
above a client's modulus, in turn, with so many samples of each. Exit code 1 when time tells one from another.

  npm run test:timing -- --samples 1000000        an hour or more, on a machine that does nothing else
  npm run test:timing -- --samples 20000 --http   whole responses of a running service, over a connection`;

const values = readOptions(usage, {
  samples: { type: 'string', default: '100000' },
  algorithm: { type: 'string' },
  http: { type: 'boolean', default: false },
});
const samples = readCount(usage, 'samples', values.samples);
const chosen = algorithmNames.filter((name) => values.algorithm === undefined || name === values.algorithm);
if (chosen.length === 0) misused(usage, `--algorithm must be one of ${algorithmNames.join(', ')}.`);
console.log(`Refusals of check 8, ${samples} samples of each. Compared with a client that is unknown:`);
let differences = 0;
for (const algorithm of chosen) {
  const comparisons = await (values.http ? measureOverHttp : measure)(algorithm, samples, (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${algorithm}, ${text}   `);
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  differences += show(algorithm, comparisons);
}
process.exitCode = differences === 0 ? 0 : 1;

/** Returns how many differ. */
function show(algorithm: AlgorithmName, comparisons: readonly Comparison[]): number {
  console.log(`${algorithm}:`);
  console.log('    max |t|   difference   of the fastest');
  for (const { subject, reference, t, difference, share } of comparisons) {
    const figures = `${Math.abs(t).toFixed(2).padStart(11)} ${difference.toFixed(1).padStart(9)} ns ${(share * 100).toFixed(1).padStart(14)} %`;
    const what = reference === 'unknown' ? subject : `${subject}, compared with ${reference}`;
    console.log(`${figures}   ${what}${Math.abs(t) >= certain ? '   DIFFERENT' : ''}`);
  }
  const different = comparisons.filter(({ t }) => Math.abs(t) >= certain).length;
  console.log(`${different} of ${comparisons.length} differ`);
  return different;
}

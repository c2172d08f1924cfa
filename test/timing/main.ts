import { readCount, readOptions } from '../command-options.ts';
import { certain, measure, measureOverHttp } from './measure.ts';

const usage = `Usage: npm run test:timing -- [--samples 100000] [--http]

Measures how long refusals of check 8 take for unknown, unused, active, disabled clients and others, and for signatures below and
above a client's modulus, in turn, with so many samples of each. Exit code 1 when time tells one from another.

  npm run test:timing -- --samples 1000000        an hour or more, on a machine that does nothing else
  npm run test:timing -- --samples 20000 --http   whole responses of a running service, over a connection`;

const values = readOptions(usage, {
  samples: { type: 'string', default: '100000' },
  http: { type: 'boolean', default: false },
});
const samples = readCount(usage, 'samples', values.samples);
const comparisons = await (values.http ? measureOverHttp : measure)(samples, (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}   `);
});
if (process.stderr.isTTY) process.stderr.write('\r');
console.log(`Refusals of check 8, ${samples} samples of each. Compared with a client that is unknown:`);
console.log('    max |t|   difference   of the fastest');
for (const { subject, reference, t, difference, share } of comparisons) {
  const figures = `${Math.abs(t).toFixed(2).padStart(11)} ${difference.toFixed(1).padStart(9)} ns ${(share * 100).toFixed(1).padStart(14)} %`;
  const what = reference === 'unknown' ? subject : `${subject}, compared with ${reference}`;
  console.log(`${figures}   ${what}${Math.abs(t) >= certain ? '   DIFFERENT' : ''}`);
}
const different = comparisons.filter(({ t }) => Math.abs(t) >= certain);
console.log(`${different.length} of ${comparisons.length} differ`);
process.exitCode = different.length === 0 ? 0 : 1;

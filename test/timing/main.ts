import { parseArgs } from 'node:util';
import { certain, measure } from './measure.ts';

/** `npm run test:timing -- --samples 1000000`. Exit code 1 when time tells one kind of client from another. */
const { values } = parseArgs({ options: { samples: { type: 'string', default: '100000' } } });
const samples = Number(values.samples);
if (!Number.isSafeInteger(samples) || samples < 1) {
  console.error('Usage: npm run test:timing -- [--samples <of each kind of client>]');
  process.exit(2);
}
const comparisons = await measure(samples, (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}   `);
});
if (process.stderr.isTTY) process.stderr.write('\r');
console.log(
  `Refusals of check 8, compared with a client that does not exist. ${samples} samples of each kind.`,
);
console.log('    max |t|   difference   of the fastest');
for (const { signature, kind, t, difference, share } of comparisons) {
  const figures = `${Math.abs(t).toFixed(2).padStart(11)} ${difference.toFixed(1).padStart(9)} ns ${(share * 100).toFixed(1).padStart(14)} %`;
  console.log(`${figures}   ${kind}, signature ${signature}${Math.abs(t) >= certain ? '   DIFFERENT' : ''}`);
}
const different = comparisons.filter(({ t }) => Math.abs(t) >= certain);
console.log(`${different.length} of ${comparisons.length} differ`);
process.exitCode = different.length === 0 ? 0 : 1;

import { parseArgs } from 'node:util';
import { proofsOfUnrelated } from '../../packages/explain/test/unrelated-request.ts';
import { readCases } from './corpus.ts';
import { evaluate, type Evaluated, lineOf, usualLimits } from './evaluation.ts';

/** The long form: `npm run test:mistakes -- --count 100000 --seed 7`. Exits with 1 if anything was wrong. */
const { values } = parseArgs({
  options: { count: { type: 'string', default: '10000' }, seed: { type: 'string' } },
});
const count = Number(values.count);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run test:mistakes -- [--count <unrelated requests>] [--seed <number>]');
  process.exit(2);
}
const pairsNamedMin = 0.95;

const correct = readCases('correct').map((one) => evaluate(one, usualLimits));
const single = readCases('single').map((one) => evaluate(one, usualLimits));
const pairs = readCases('pairs').map((one) => evaluate(one, usualLimits));
const isUnnamed = ({ unnamed }: Evaluated): boolean => unnamed.length > 0;
const wrong = [
  ...correct.filter(({ explanation }) => explanation.findings.length > 0),
  ...single.filter(isUnnamed),
  ...[...single, ...pairs].filter(({ untrueProven }) => untrueProven.length > 0),
];
const missed = pairs.filter(isUnnamed);
const untrue = [...single, ...pairs].filter((one) => one.untrue.length > 0);
console.log(`${single.length} single mistakes, ${single.filter(isUnnamed).length} not named`);
console.log(`${pairs.length} pairs, ${missed.length} not wholly named`);
for (const one of missed) console.log(`  ${lineOf(one)}`);
console.log(`${untrue.length} explanations with a finding that is not true, whatever its certainty`);
for (const one of untrue) console.log(`  ${one.one.id}: ${one.untrue.join(', ')}`);

const proofs = proofsOfUnrelated(count, seed, 1500);
console.log(`${count} unrelated requests, seed ${seed}: ${proofs.length} with a false proof`);
for (const one of wrong) console.error(`WRONG ${lineOf(one)}`);
for (const proof of proofs.slice(0, 20)) console.error(`WRONG ${proof}`);
const isWell =
  wrong.length === 0 && proofs.length === 0 && missed.length <= pairs.length * (1 - pairsNamedMin);
process.exitCode = isWell ? 0 : 1;

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { codesOf } from '@countersign/explain';
import { readRecordedCases, type RecordedCase } from './cases.ts';
import { isNamed, type Score, scoreOf, untrueProofsOf } from './score.ts';

const usage = `Usage: npm run test:recorded -- [--set-aside | --misses FILE]

Explains what real clients, libraries and proxies did to signed requests. --set-aside: only the totals of the programs
that nobody looks at while the explainer is built. --misses: also writes the cases that were not named.`;

const { isAside, misses } = readOptions();
const cases = readRecordedCases(isAside ? 'set-aside' : 'open');
const scores = {
  correct: cases.correct.map(scoreOf),
  singles: cases.singles.map(scoreOf),
  pairs: cases.combinations.filter(({ size }) => size === 2).map(scoreOf),
  triples: cases.combinations.filter(({ size }) => size > 2).map(scoreOf),
};
for (const [name, some] of Object.entries(scores)) if (name !== 'correct') printTotal(name, some);
const found = scores.correct.filter(({ explanation }) => explanation.findings.length > 0);
console.log(
  `${scores.correct.length} requests that arrived as they were signed, ${found.length} with a finding`,
);
const all = Object.values(scores).flat();
console.log(`${all.flatMap(untrueProofsOf).length} untrue proofs`);
printTimes(all);
if (!isAside) {
  printFamilies('singles', scores.singles);
  if (misses !== undefined) writeFileSync(misses, missesOf(all));
}

function readOptions(): { readonly isAside: boolean; readonly misses: string | undefined } {
  try {
    const { values } = parseArgs({
      options: { 'set-aside': { type: 'boolean', default: false }, misses: { type: 'string' } },
    });
    if (!(values['set-aside'] && values.misses !== undefined))
      return { isAside: values['set-aside'], misses: values.misses };
  } catch {
    // The usage says what is possible.
  }
  console.error(usage);
  process.exit(2);
}

function printTotal(name: string, some: readonly Score[]): void {
  const named = some.filter(isNamed).length;
  console.log(`${name}: ${named} of ${some.length} named, ${percent(named, some.length)}`);
}

function percent(part: number, whole: number): string {
  return `${((part / Math.max(whole, 1)) * 100).toFixed(1)} %`;
}

function printTimes(some: readonly Score[]): void {
  const times = some.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(`milliseconds of processor time: median ${at(0.5)}, 99 % ${at(0.99)}, most ${at(0.9999)}`);
}

function printFamilies(name: string, some: readonly Score[]): void {
  console.log(`\n${name} by what changed: not named of all`);
  const families = Map.groupBy(some, ({ recorded }) => familyOf(recorded));
  for (const [family, members] of [...families].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const missed = members.filter((score) => !isNamed(score)).length;
    console.log(`  ${String(missed).padStart(4)} of ${String(members.length).padStart(4)}  ${family}`);
  }
}

function familyOf({ differences }: RecordedCase): string {
  return differences.map(({ part, kind }) => `${part}: ${kind}`).join(' / ');
}

function missesOf(some: readonly Score[]): string {
  return some
    .filter((score) => !isNamed(score) || untrueProofsOf(score).length > 0)
    .map(({ recorded, unnamed, explanation, ...score }) =>
      JSON.stringify({
        size: recorded.size,
        id: recorded.id,
        unnamed,
        untrueProofs: untrueProofsOf({ recorded, unnamed, explanation, ...score }),
        found: explanation.findings.map((one) => `${codesOf(one).join(' + ')} ${one.certainty}`),
        exchange: recorded.exchange,
      }),
    )
    .join('\n');
}

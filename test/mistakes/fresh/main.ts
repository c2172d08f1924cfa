import { parseArgs } from 'node:util';
import { codesOf } from '@countersign/explain';
import { evaluate, type Evaluated, type EvaluationLimits } from '../evaluation.ts';
import { type FreshCase, makeCases } from './cases.ts';
import type { FreshSlip } from './slip.ts';

/**
 * Explains requests with mistakes that were never recorded: `node test/mistakes/fresh/main.ts --seed 7 --count 500
 * --list 20`. Mistakes are combined at random, so the figures compare explainers, not users.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '500' },
    sizes: { type: 'string', default: '1 2 3' },
    list: { type: 'string', default: '0' },
    hypotheses: { type: 'string' },
  },
});
/** Without --hypotheses, the defaults of a service, with all the time that they need. */
const limits: EvaluationLimits = {
  budgetMs: 60_000,
  ...(values.hypotheses !== undefined && { hypothesesMax: Number(values.hypotheses) }),
};

const commonestMax = 30;

interface Scored extends FreshCase {
  readonly evaluated: Evaluated;
  readonly isNamed: boolean;
  readonly untrue: readonly string[];
  readonly milliseconds: number;
}

function score(fresh: FreshCase): Scored {
  const before = process.cpuUsage();
  const evaluated = evaluate(fresh.one, limits);
  const { user, system } = process.cpuUsage(before);
  const { findings } = evaluated.explanation;
  const found = new Set<string>(findings.flatMap(codesOf));
  const codes = new Map(fresh.slips.map((slip) => [slip, codesFor(fresh, slip, found)]));
  const known = new Set([...codes.values()].flat());
  return {
    ...fresh,
    evaluated,
    isNamed: fresh.slips.every((slip) => codes.get(slip)!.some((code) => found.has(code))),
    untrue: findings
      .filter(({ certainty }) => certainty === 'proven')
      .flatMap(codesOf)
      .filter((code) => !known.has(code)),
    milliseconds: (user + system) / 1000,
  };
}

/** The codes that name a mistake; those of other names for its bytes only if none of its own was found. */
function codesFor(fresh: FreshCase, slip: FreshSlip, found: ReadonlySet<string>): readonly string[] {
  const isNamed = slip.codes.some((code) => found.has(code));
  return isNamed ? slip.codes : [...slip.codes, ...fresh.codesOfSameBytes(slip, found)];
}

for (const size of values.sizes.split(' ').map(Number)) {
  const scored = makeCases(size, Number(values.count), Number(values.seed))
    .map(score)
    // Some changes are no mistake to the verifier.
    .filter(({ evaluated }) => evaluated.explanation.verdict !== 'valid');
  const missed = scored.filter(({ isNamed }) => !isNamed);
  const times = scored.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const at = (share: number): string => times[Math.floor(times.length * share)]!.toFixed(1);
  const spent = scored.filter(({ evaluated }) => !evaluated.explanation.isComplete);
  const untrue = scored.filter((one) => one.untrue.length > 0);
  const share = ((1 - missed.length / scored.length) * 100).toFixed(1);
  console.log(
    `${size} at once: ${share} % of ${scored.length} named; median ${at(0.5)} ms, 99 % ${at(0.99)} ms; ` +
      `${spent.length} ran out of budget; ${untrue.length} with a proof of something else`,
  );
  const shown = Number(values.list);
  for (const one of missed.slice(0, shown)) console.log(`  MISSED ${lineOf(one)}`);
  for (const one of untrue.slice(0, shown)) console.log(`  ELSE ${one.untrue.join(' ')}: ${lineOf(one)}`);
  if (shown > 0) console.log(commonest(missed));
}

function lineOf({ one, evaluated }: Scored): string {
  const { findings } = evaluated.explanation;
  return `${one.id}; found ${findings.map((finding) => `${codesOf(finding).join('+')}/${finding.certainty[0]}`).join(' ')}`;
}

function commonest(missed: readonly Scored[]): string {
  const counts = new Map<string, number>();
  for (const { slips } of missed) for (const { name } of slips) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, commonestMax);
  return sorted.map(([name, count]) => `  ${count} × ${name}`).join('\n');
}

import { hash } from 'node:crypto';
import { explain } from '@countersign/explain';
import { explainRequest } from '@countersign/explain/node';
import { readCases } from '../test/mistakes/corpus.ts';
import { inputOf } from '../test/mistakes/evaluation.ts';
import { quantile, quartilesOf } from './paired.ts';

/** The duration of explanations with the default options. */
export interface ExplainResult {
  readonly requestCount: number;
  readonly milliseconds: readonly [median: number, p95: number, p99: number, max: number];
  /** Explanations that ran out of time. */
  readonly endedByBudget: number;
  readonly hypothesesPerSecond: number;
  /** The time of explaining, divided by the time of only hashing the same bytes. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
}

const warmUpCount = 200;

/** Explains all single and paired mistakes of the corpus once per round. */
export function benchExplain(rounds: number): ExplainResult {
  const inputs = [...readCases('single'), ...readCases('pairs')].map(inputOf);
  for (const input of inputs.slice(0, warmUpCount)) explainRequest(...input);
  const milliseconds: number[] = [];
  let hypotheses = 0;
  let endedByBudget = 0;
  for (let round = 0; round < rounds; round++) {
    for (const input of inputs) {
      const started = performance.now();
      const explanation = explainRequest(...input);
      milliseconds.push(performance.now() - started);
      hypotheses += explanation.hypotheses;
      if (!explanation.isComplete) endedByBudget++;
    }
  }
  const seconds = milliseconds.reduce((sum, one) => sum + one, 0) / 1000;
  const ratios = inputs.filter((_, index) => index % ratioStep === 0).flatMap(ratioOf);
  return {
    requestCount: inputs.length,
    milliseconds: [
      quantile(milliseconds, 0.5),
      quantile(milliseconds, 0.95),
      quantile(milliseconds, 0.99),
      Math.max(...milliseconds),
    ],
    endedByBudget: Math.round(endedByBudget / rounds),
    hypothesesPerSecond: hypotheses / seconds,
    ratio: quantile(ratios, 0.5),
    quartiles: quartilesOf(ratios),
  };
}

const ratioStep = 3;
/** With fewer, the preparation outweighs the search. */
const hashedMin = 500;

/** Times one explanation and then its bare hashes. Empty if it hashes little. */
function ratioOf([request, candidates, options]: ReturnType<typeof inputOf>): readonly number[] {
  const hashed: Uint8Array[] = [];
  const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');
  explain(request, candidates, {
    ...options,
    hypothesesMax: 20_000,
    sha256: (bytes) => {
      hashed.push(bytes.slice());
      return sha256(bytes);
    },
  });
  if (hashed.length < hashedMin) return [];
  const started = performance.now();
  explainRequest(request, candidates, { ...options, hypothesesMax: 20_000, budgetMs: 60_000 });
  const between = performance.now();
  for (const bytes of hashed) hash('sha256', bytes, 'latin1');
  return [(between - started) / (performance.now() - between)];
}

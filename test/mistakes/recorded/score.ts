import type { Explanation } from '@countersign/explain';
import { evaluate, usualLimits } from '../evaluation.ts';
import { mistakeOf, type RecordedCase } from './cases.ts';

export interface Score {
  readonly recorded: RecordedCase;
  readonly explanation: Explanation;
  /** Mistakes that no finding names: the first of their codes. */
  readonly unnamed: readonly string[];
  readonly untrueProven: readonly string[];
  /** Of processor time. */
  readonly milliseconds: number;
}

export function scoreOf(recorded: RecordedCase): Score {
  const one = mistakeOf(recorded);
  const before = process.cpuUsage();
  const { explanation, unnamed, untrueProven } = evaluate(one, usualLimits);
  const { user, system } = process.cpuUsage(before);
  return { recorded, explanation, unnamed, untrueProven, milliseconds: (user + system) / 1000 };
}

/** Whether every mistake of a case is named by a finding. */
export function isNamed({ unnamed }: Score): boolean {
  return unnamed.length === 0;
}

/** Findings that are called proven but concern a part of the request that arrived as signed. */
export function untrueProofsOf({ recorded: { differences, slips }, untrueProven }: Score): readonly string[] {
  const parts = new Set(differences.map(({ part }) => part));
  return untrueProven.filter((code) => {
    if (code.startsWith('url_'))
      return !['host', 'path', 'query', 'fragment'].some((part) => parts.has(part as 'host'));
    if (code.startsWith('body_')) return !parts.has('body');
    if (code.startsWith('method_')) return !parts.has('method');
    return slips.length === 0;
  });
}

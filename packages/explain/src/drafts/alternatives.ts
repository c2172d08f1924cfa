import type { Note } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';

/** One way in which a part may deviate. */
export interface Alternative<Value> {
  readonly value: Value;
  /** 0.5 for what happens everywhere, 1 for what happens every day, 4 for what is hardly ever seen; in halves. */
  readonly cost: number;
  readonly notes: readonly Note[];
}

/** A part of a draft that deviates independently of the others. */
export interface Dimension<Draft> {
  readonly field: keyof Draft;
  /** Whether the draft as it is shows this field at all; if not, its alternatives would be the same text again. */
  readonly isWritten?: (draft: Draft) => boolean;
  /** Asked for when it is this dimension's turn, once. */
  readonly alternatives: () => readonly Alternative<unknown>[];
  /** What is too rare and too much to be combined with others. */
  readonly alone?: () => readonly Alternative<unknown>[];
}

/** Collects the alternatives of one part; of equal values the first, which is the more likely, stays. */
export class Alternatives<Value> {
  readonly #known: Set<Value>;
  readonly list: Alternative<Value>[] = [];

  constructor(usual: Value) {
    this.#known = new Set([usual]);
  }

  add(value: Value | undefined, cost: number, code: FindingCode, detail?: string): this {
    return this.addNoted(value, cost, [{ code, ...(detail !== undefined && { detail }) }]);
  }

  addNoted(value: Value | undefined, cost: number, notes: readonly Note[]): this {
    if (value === undefined || this.#known.has(value)) return this;
    this.#known.add(value);
    this.list.push({ value, cost: Math.min(cost, 4), notes });
    return this;
  }
}

/** All orders of a few values, the given one first. */
export function permutations<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  if (values.length <= 1) return [values];
  return values.flatMap((value, index) =>
    permutations(values.toSpliced(index, 1)).map((rest) => [value, ...rest]),
  );
}

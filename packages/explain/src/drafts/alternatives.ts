import type { Note } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';

/** One way in which a part of a draft may deviate. */
export interface Alternative<Value> {
  readonly value: Value;
  /** From 0.5 (happens everywhere) and 1 (happens daily) to 4 (hardly ever seen), in steps of a half. */
  readonly cost: number;
  readonly notes: readonly Note[];
}

/** A part of a draft that varies independently of the others. */
export interface Dimension<Draft> {
  readonly field: keyof Draft;
  /** Whether the current draft shows this field. If not, its alternatives would produce the same text again. */
  readonly isWritten?: (draft: Draft) => boolean;
  /** Called once, when this dimension's turn comes. */
  readonly alternatives: () => readonly Alternative<unknown>[];
  /** Alternatives too rare and too many to combine with others. */
  readonly alone?: () => readonly Alternative<unknown>[];
}

/** Collects the alternatives of one part. Of equal values, it keeps the first, which is the likelier. */
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

import type { Note, Words } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';

/** One way in which a part of a draft may deviate. */
export interface Alternative<Value> {
  readonly value: Value;
  /**
   * From 0.5 (happens everywhere) and 1 (happens daily) through 2 (happens) and 3 (seldom seen) to 5 (hardly
   * ever seen, and hardly ever together with anything), in steps of a half.
   */
  readonly cost: number;
  readonly notes: readonly Note[];
}

/** A part of a draft that varies independently of the others. */
export interface Dimension<Draft> {
  readonly field: keyof Draft;
  /**
   * Returns true if the current draft shows this field. If not, its alternatives would produce the same text
   * again.
   */
  readonly isWritten?: (draft: Draft) => boolean;
  /** Called once, when this dimension's turn comes. */
  readonly alternatives: () => readonly Alternative<unknown>[];
  /**
   * Set if one program determines this together with other dimensions of the same kind, so that all may
   * deviate at once: the cost of the rarest alternative involved.
   */
  readonly jointCostMax?: number;
  /** Alternatives that are too rare and too many to combine with others. */
  readonly alone?: () => readonly Alternative<unknown>[];
}

/** Builds an alternative with a detail, or with its own wording. */
export function alternative<Value>(
  code: FindingCode,
  words: string | Words,
  cost: number,
  value: Value,
): Alternative<Value> {
  return { value, cost, notes: [{ code, ...(typeof words === 'string' ? { detail: words } : words) }] };
}

/** A detail that is complete: examples from the texts add nothing to it. */
export function exact(detail: string): Words {
  return { detail, isExact: true };
}

/** A detail for places where the two texts are not shown; elsewhere the texts are enough. */
export function shownByTexts(detail: string): Words {
  return { detail, isShown: true };
}

/** Builds alternatives that lead to the same finding. */
export function alternatives<Value>(
  code: FindingCode,
  rows: readonly (readonly [words: string | Words, cost: number, value: Value])[],
): readonly Alternative<Value>[] {
  return rows.map(([words, cost, value]) => alternative(code, words, cost, value));
}

/** Collects the alternatives of one part. Of equal values, it keeps the first, which is the likelier. */
export class Alternatives<Value> {
  readonly #known: Set<Value>;
  readonly list: Alternative<Value>[] = [];

  constructor(usual: Value) {
    this.#known = new Set([usual]);
  }

  add(value: Value | undefined, cost: number, code: FindingCode, words: string | Words = {}): this {
    return this.addNoted(value, cost, [{ code, ...(typeof words === 'string' ? { detail: words } : words) }]);
  }

  addNoted(value: Value | undefined, cost: number, notes: readonly Note[]): this {
    if (value === undefined || this.#known.has(value)) return this;
    this.#known.add(value);
    this.list.push({ value, cost: Math.min(cost, 5), notes });
    return this;
  }
}

/** A changed order of values, and its description. */
export interface Reordering<Value> {
  readonly values: readonly Value[];
  readonly detail: 'rotated' | 'two swapped' | 'in another order';
}

/** Reorders values as a hash map or a person might: rotates them, swaps two, and tries every order of a few. */
export function reorderings<Value>(
  values: readonly Value[],
  permutedMax: number = usualPermutedMax,
): readonly Reordering<Value>[] {
  const orders: Reordering<Value>[] = [];
  for (let by = 1; by < Math.min(values.length, shiftsMax); by++)
    orders.push({ values: [...values.slice(by), ...values.slice(0, by)], detail: 'rotated' });
  for (let index = 0; index + 1 < Math.min(values.length, shiftsMax); index++) {
    const swapped = values.toSpliced(index, 2, values[index + 1]!, values[index]!);
    orders.push({ values: swapped, detail: 'two swapped' });
  }
  if (values.length > permutedMax) return orders;
  const permuted = permutations(values)
    .slice(1)
    .map((order) => ({ values: order, detail: 'in another order' }) as const);
  return [...orders, ...permuted];
}

const shiftsMax = 9;
/** At most 120 orders. */
const usualPermutedMax = 5;

/** All orders of a few values, the given one first. */
export function permutations<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  if (values.length <= 1) return [values];
  return values.flatMap((value, index) =>
    permutations(values.toSpliced(index, 1)).map((rest) => [value, ...rest]),
  );
}

import type { FindingCode } from '../findings/findings.ts';

/** What a variation says when it turns out to be what the caller did. */
export interface Note {
  readonly code: FindingCode;
  /** The values of this request, to follow a colon. */
  readonly detail?: string;
}

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

/** Ends an enumeration. */
export type Visit = (notes: readonly Note[]) => 'found' | 'spent' | 'other';

/**
 * Visits a draft with all its variations, from frequent to rare: unchanged, with each single one, then with two and more
 * of different dimensions in the order of their summed costs. More than two at once cost extra.
 * The draft is changed while it is visited, and as it was afterwards unless something is found.
 */
export function visitVariations<Draft extends object>(
  draft: Draft,
  dimensions: readonly Dimension<Draft>[],
  visit: Visit,
): 'found' | 'spent' | 'exhausted' {
  const enumeration = new Enumeration(draft, dimensions, visit);
  return enumeration.run();
}

const variationsMax = 4;
/** What a third and a fourth variation cost on top: they are rarer than their parts say. */
const extraCost = [0, 0, 0, 1.5, 3] as const;
const costMin = 0.5;
const costMax = 14;
/** When the rare ones that are not combined have their turn: after all pairs that are more frequent. */
const aloneAt = 3;

class Enumeration<Draft extends object> {
  readonly #draft: Draft;
  readonly #dimensions: readonly Dimension<Draft>[];
  readonly #visit: Visit;
  readonly #notes: Note[] = [];
  #lists: readonly (readonly Alternative<unknown>[])[] = [];
  #outcome: 'found' | 'spent' | 'other' = 'other';

  constructor(draft: Draft, dimensions: readonly Dimension<Draft>[], visit: Visit) {
    this.#draft = draft;
    this.#dimensions = dimensions;
    this.#visit = visit;
  }

  run(): 'found' | 'spent' | 'exhausted' {
    this.#outcome = this.#visit(this.#notes);
    const lists: (readonly Alternative<unknown>[])[] = [];
    for (const { field, alternatives, isWritten } of this.#dimensions) {
      if (!this.#goesOn) break;
      const list = alternatives().toSorted((a, b) => a.cost - b.cost);
      lists.push(list);
      if (isWritten?.(this.#draft) !== false) this.#single(field, list);
    }
    this.#lists = lists;
    for (let cost = 2 * costMin; cost <= costMax && this.#goesOn; cost += costMin) {
      if (cost === aloneAt) this.#alone();
      for (let count = 2; count <= variationsMax && this.#goesOn; count++) {
        const left = cost - extraCost[count]!;
        if (left >= count * costMin) this.#choose(0, count, left);
      }
    }
    return this.#outcome === 'other' ? 'exhausted' : this.#outcome;
  }

  #alone(): void {
    for (const { field, alone } of this.#dimensions) if (alone && this.#goesOn) this.#single(field, alone());
  }

  #single(field: keyof Draft, list: readonly Alternative<unknown>[]): void {
    const draft = this.#draft as Record<keyof Draft, unknown>;
    const unchanged = draft[field];
    for (const { value, notes } of list) {
      draft[field] = value;
      this.#outcome = this.#visit(notes);
      if (!this.#goesOn) return;
    }
    draft[field] = unchanged;
  }

  get #goesOn(): boolean {
    return this.#outcome === 'other';
  }

  /** Chooses alternatives of `count` more dimensions, the costs of which sum up to `left`. */
  #choose(from: number, count: number, left: number): void {
    if (count === 0) {
      if (left === 0) this.#outcome = this.#visit(this.#notes);
      return;
    }
    const draft = this.#draft as Record<keyof Draft, unknown>;
    for (let index = from; index <= this.#dimensions.length - count && this.#goesOn; index++) {
      const { field, isWritten } = this.#dimensions[index]!;
      if (isWritten?.(this.#draft) === false) continue;
      const unchanged = draft[field];
      const notesBefore = this.#notes.length;
      for (const { value, cost, notes } of this.#lists[index]!) {
        if (cost > left - (count - 1) * costMin) break;
        if (count === 1 && cost !== left) continue;
        draft[field] = value;
        this.#notes.push(...notes);
        this.#choose(index + 1, count - 1, left - cost);
        if (!this.#goesOn) return;
        this.#notes.length = notesBefore;
      }
      draft[field] = unchanged;
    }
  }
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

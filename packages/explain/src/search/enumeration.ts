import type { Alternative, Dimension } from '../drafts/alternatives.ts';
import type { Note } from '../findings/finding.ts';

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

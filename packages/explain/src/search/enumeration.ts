import type { Alternative, Dimension } from '../drafts/alternatives.ts';
import type { Note } from '../findings/finding.ts';

/**
 * Handles one variation and says whether to continue: `other` and `repeated` do. `cost` is undefined for combinations.
 */
export type Visit = (notes: readonly Note[], cost: number | undefined) => Outcome;

export type Outcome =
  | 'found'
  | 'spent'
  | 'other'
  /** The text was visited before, so combinations with this variation would be visited twice. */
  | 'repeated';

/**
 * Visits a draft with all its variations, from frequent to rare: unchanged, with each single one, then with
 * combinations from different dimensions by total cost. More than two at once cost extra. Changes the draft while
 * visiting and restores it unless something is found.
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
/** The extra cost of a third and a fourth variation, which are rarer than their parts suggest. */
const extraCost = [0, 0, 0, 1.5, 3] as const;
const costMin = 0.5;
const costMax = 14;
/** The total cost at which the rare, uncombined ones come: after all likelier pairs. */
const aloneAt = 3;
/** The total cost at which everything comes that one program decides. */
const jointAt = 4;
const jointMax = 6;
const jointTotalMax = 9;
/** What a rare alternative counts at most among those that one program decides. */
const jointWeightMax = 2.5;

class Enumeration<Draft extends object> {
  readonly #draft: Draft;
  #dimensions: readonly Dimension<Draft>[];
  readonly #visit: Visit;
  readonly #notes: Note[] = [];
  #lists: readonly ByCost[] = [];
  #outcome: Outcome = 'other';

  constructor(draft: Draft, dimensions: readonly Dimension<Draft>[], visit: Visit) {
    this.#draft = draft;
    this.#dimensions = dimensions;
    this.#visit = visit;
  }

  run(): 'found' | 'spent' | 'exhausted' {
    this.#outcome = this.#visit(this.#notes, 0);
    const lists: ByCost[] = [];
    for (const { field, alternatives, isWritten } of this.#dimensions) {
      if (!this.#goesOn) break;
      const list = alternatives().toSorted((a, b) => a.cost - b.cost);
      lists.push(byCost(isWritten?.(this.#draft) === false ? list : this.#single(field, list)));
    }
    this.#lists = lists;
    for (let cost = 2 * costMin; cost <= costMax && this.#goesOn; cost += costMin) {
      if (cost === aloneAt) this.#alone();
      if (cost === jointAt) this.#joint();
      for (let count = 2; count <= variationsMax && this.#goesOn; count++) {
        const left = cost - extraCost[count]!;
        if (left >= count * costMin) this.#choose(0, count, left);
      }
    }
    return this.#outcome === 'found' || this.#outcome === 'spent' ? this.#outcome : 'exhausted';
  }

  /** Combines what one program decides: several deviations are no rarer than one. */
  #joint(): void {
    const [dimensions, lists] = [this.#dimensions, this.#lists];
    const chosen = dimensions.flatMap(({ jointCostMax }, index) =>
      jointCostMax === undefined ? [] : [{ index, jointCostMax }],
    );
    this.#dimensions = chosen.map(({ index }) => dimensions[index]!);
    this.#lists = chosen.map(({ index, jointCostMax }) => byJointCost(lists[index]!, jointCostMax));
    for (let cost = jointAt; cost <= jointTotalMax && this.#goesOn; cost += costMin)
      for (let count = 2; count <= jointMax && this.#goesOn; count++)
        if (cost >= count * costMin) this.#choose(0, count, cost);
    this.#dimensions = dimensions;
    this.#lists = lists;
  }

  #alone(): void {
    for (const { field, alone } of this.#dimensions) if (alone && this.#goesOn) this.#single(field, alone());
  }

  /** Returns the alternatives that make a text of their own. */
  #single(field: keyof Draft, list: readonly Alternative<unknown>[]): readonly Alternative<unknown>[] {
    const draft = this.#draft as Record<keyof Draft, unknown>;
    const unchanged = draft[field];
    const own: Alternative<unknown>[] = [];
    for (const one of list) {
      draft[field] = one.value;
      this.#outcome = this.#visit(one.notes, one.cost);
      if (!this.#goesOn) return own;
      if (this.#outcome === 'other') own.push(one);
    }
    draft[field] = unchanged;
    return own;
  }

  get #goesOn(): boolean {
    return this.#outcome === 'other' || this.#outcome === 'repeated';
  }

  /** Combines alternatives of `count` more dimensions whose costs add up to `left`. */
  #choose(from: number, count: number, left: number): void {
    if (count === 0) {
      this.#outcome = this.#visit(this.#notes, undefined);
      return;
    }
    const draft = this.#draft as Record<keyof Draft, unknown>;
    const costsMax = left - (count - 1) * costMin;
    for (let index = from; index <= this.#dimensions.length - count && this.#goesOn; index++) {
      const list = this.#lists[index]!;
      if (count === 1 ? !list.has(left) : list.size === 0) continue;
      const { field, isWritten } = this.#dimensions[index]!;
      if (isWritten?.(this.#draft) === false) continue;
      const unchanged = draft[field];
      const notesBefore = this.#notes.length;
      for (let cost = count === 1 ? left : costMin; cost <= costsMax; cost += costMin) {
        for (const { value, notes } of list.get(cost) ?? []) {
          draft[field] = value;
          this.#notes.push(...notes);
          this.#choose(index + 1, count - 1, left - cost);
          if (!this.#goesOn) return;
          this.#notes.length = notesBefore;
        }
      }
      draft[field] = unchanged;
    }
  }
}

/**
 * What an alternative's cost counts in a combination. Up to 2, costs say which to try first; together with others, such
 * mistakes are about as frequent. Above 2, one is rarer by far, and two at once hardly exist.
 */
const weights: ReadonlyMap<number, number> = new Map([
  [0.5, 1],
  [1, 1.5],
  [1.5, 1.5],
  [2, 2],
  [2.5, 3],
  [3, 3.5],
  [3.5, 4.5],
  [4, 5.5],
  [4.5, 6.5],
  [5, 7.5],
]);

type ByCost = ReadonlyMap<number, readonly Alternative<unknown>[]>;

function byCost(list: readonly Alternative<unknown>[]): ByCost {
  return Map.groupBy(list, ({ cost }) => weights.get(cost) ?? cost);
}

function byJointCost(list: ByCost, rarest: number): ByCost {
  const usual = [...list.values()].flat().filter(({ cost }) => cost <= rarest);
  return Map.groupBy(usual, ({ cost }) => Math.min(weights.get(cost) ?? cost, jointWeightMax));
}

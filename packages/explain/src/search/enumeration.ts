import type { Alternative, Dimension } from '../drafts/alternatives.ts';
import type { Note } from '../findings/finding.ts';

/**
 * Handles one variation, given its deviations, and returns how to continue: `other` and `repeated` continue.
 * `cost` is undefined for combinations. The list is only valid during the call.
 */
export type Visit = (chosen: readonly Alternative<unknown>[], cost: number | undefined) => Outcome;

export type Outcome =
  | 'found'
  | 'spent'
  | 'other'
  /** The text was visited before, so combinations with this variation would be visited twice. */
  | 'repeated';

/**
 * Visits a draft with all its variations, from frequent to rare: unchanged, with each single one, then with
 * combinations from different dimensions by total cost. More than two at once cost extra. Changes the draft
 * while visiting and restores it unless something is found; calls `onChange` for each field that was set.
 *
 * @param isCostly true if a visit costs more than preparing all alternatives: the single ones then come by their cost,
 *   whatever the dimension
 */
export function visitVariations<Draft extends object>(
  draft: Draft,
  dimensions: readonly Dimension<Draft>[],
  visit: Visit,
  onChange: (field: keyof Draft) => void = () => {},
  isCostly = false,
): 'found' | 'spent' | 'exhausted' {
  const enumeration = new Enumeration(draft, dimensions, visit, onChange, isCostly);
  return enumeration.run();
}

/** All deviations of a variation. */
export function notesOf(chosen: readonly Alternative<unknown>[]): readonly Note[] {
  return chosen.flatMap(({ notes }) => notes);
}

const variationsMax = 4;
/** The extra cost of a third and a fourth variation, which are rarer than their parts suggest. */
const extraCost = [0, 0, 0, 1.5, 3] as const;
const costMin = 0.5;
const costMax = 14;
/** The total cost at which the rare, uncombined ones follow: after all likelier pairs. */
const aloneAt = 3;
/** The total cost at which the joint deviations of a single program follow. */
const jointAt = 4;
const jointMax = 6;
const jointTotalMax = 9;
/** The maximum cost of a rare alternative among the deviations of a single program. */
const jointWeightMax = 2.5;

class Enumeration<Draft extends object> {
  readonly #draft: Draft;
  #dimensions: readonly Dimension<Draft>[];
  readonly #visit: Visit;
  readonly #onChange: (field: keyof Draft) => void;
  readonly #isCostly: boolean;
  readonly #chosen: Alternative<unknown>[] = [];
  #lists: readonly ByCost[] = [];
  #outcome: Outcome = 'other';

  constructor(
    draft: Draft,
    dimensions: readonly Dimension<Draft>[],
    visit: Visit,
    onChange: (field: keyof Draft) => void,
    isCostly: boolean,
  ) {
    this.#draft = draft;
    this.#dimensions = dimensions;
    this.#visit = visit;
    this.#onChange = onChange;
    this.#isCostly = isCostly;
  }

  run(): 'found' | 'spent' | 'exhausted' {
    this.#outcome = this.#visit(this.#chosen, 0);
    this.#lists = this.#goesOn ? (this.#isCostly ? this.#singlesByCost() : this.#singles()) : [];
    for (let cost = 2 * costMin; cost <= costMax && this.#goesOn; cost += costMin) {
      if (cost === aloneAt) this.#alone();
      if (cost === jointAt) this.#joint();
      for (let count = 2; count <= variationsMax && this.#goesOn; count++) {
        const left = cost - extraCost[count]!;
        if (left >= count * costMin) this.#choose(0, count, left / costMin);
      }
    }
    return this.#outcome === 'found' || this.#outcome === 'spent' ? this.#outcome : 'exhausted';
  }

  /** Visits each alternative by itself, one dimension after the other, which are prepared when their turn comes. */
  #singles(): readonly ByCost[] {
    const lists: ByCost[] = [];
    for (const { field, alternatives, isWritten } of this.#dimensions) {
      if (!this.#goesOn) break;
      const list = alternatives().toSorted((a, b) => a.cost - b.cost);
      lists.push(byCost(isWritten?.(this.#draft) === false ? list : this.#single(field, list)));
    }
    return lists;
  }

  /** The same, the likeliest of all dimensions first. */
  #singlesByCost(): readonly ByCost[] {
    const all = this.#dimensions.map(({ alternatives }) => alternatives());
    const own: Alternative<unknown>[][] = all.map(() => []);
    const costs = [...new Set(all.flat().map(({ cost }) => cost))].toSorted((a, b) => a - b);
    for (const cost of costs) {
      for (const [index, { field, isWritten }] of this.#dimensions.entries()) {
        if (!this.#goesOn) break;
        const list = all[index]!.filter((one) => one.cost === cost);
        own[index]!.push(...(isWritten?.(this.#draft) === false ? list : this.#single(field, list)));
      }
    }
    return own.map(byCost);
  }

  /** Combines the deviations of a single program: several are no rarer than one. */
  #joint(): void {
    const [dimensions, lists] = [this.#dimensions, this.#lists];
    const chosen = dimensions.flatMap(({ jointCostMax }, index) =>
      jointCostMax === undefined ? [] : [{ index, jointCostMax }],
    );
    this.#dimensions = chosen.map(({ index }) => dimensions[index]!);
    this.#lists = chosen.map(({ index, jointCostMax }) => byJointCost(lists[index]!, jointCostMax));
    for (let cost = jointAt; cost <= jointTotalMax && this.#goesOn; cost += costMin)
      for (let count = 2; count <= jointMax && this.#goesOn; count++)
        if (cost >= count * costMin) this.#choose(0, count, cost / costMin);
    this.#dimensions = dimensions;
    this.#lists = lists;
  }

  #alone(): void {
    for (const { field, alone } of this.#dimensions) if (alone && this.#goesOn) this.#single(field, alone());
  }

  /** Returns the alternatives that produce a text of their own. */
  #single(field: keyof Draft, list: readonly Alternative<unknown>[]): readonly Alternative<unknown>[] {
    const draft = this.#draft as Record<keyof Draft, unknown>;
    const unchanged = draft[field];
    const own: Alternative<unknown>[] = [];
    for (const one of list) {
      draft[field] = one.value;
      this.#onChange(field);
      this.#outcome = this.#visit([one], one.cost);
      if (!this.#goesOn) return own;
      if (this.#outcome === 'other') own.push(one);
    }
    draft[field] = unchanged;
    this.#onChange(field);
    return own;
  }

  get #goesOn(): boolean {
    return this.#outcome === 'other' || this.#outcome === 'repeated';
  }

  /** Combines alternatives of `count` more dimensions whose costs add up to `left` steps. */
  #choose(from: number, count: number, left: number): void {
    const draft = this.#draft as Record<keyof Draft, unknown>;
    const isLast = count === 1;
    const costsMax = left - (count - 1);
    for (let index = from; index <= this.#dimensions.length - count; index++) {
      const list = this.#lists[index]!;
      if (isLast ? list[left] === undefined : list.length === 0) continue;
      const { field, isWritten } = this.#dimensions[index]!;
      if (isWritten?.(this.#draft) === false) continue;
      const unchanged = draft[field];
      for (let cost = isLast ? left : 1; cost <= costsMax && cost < list.length; cost++) {
        const alternatives = list[cost];
        if (alternatives === undefined) continue;
        for (const one of alternatives) {
          draft[field] = one.value;
          this.#onChange(field);
          this.#chosen.push(one);
          if (isLast) this.#outcome = this.#visit(this.#chosen, undefined);
          else this.#choose(index + 1, count - 1, left - cost);
          if (!this.#goesOn) return;
          this.#chosen.pop();
        }
      }
      draft[field] = unchanged;
      this.#onChange(field);
    }
  }
}

/**
 * Returns an alternative's cost in a combination. Up to 2, costs say which to try first; in combinations,
 * such mistakes are about equally frequent. Above 2, one is far rarer, and two at once hardly exist.
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

/** Alternatives by cost, in steps of the least cost. */
type ByCost = readonly (readonly Alternative<unknown>[] | undefined)[];

function byCost(list: readonly Alternative<unknown>[]): ByCost {
  return grouped(list, ({ cost }) => weights.get(cost) ?? cost);
}

function byJointCost(list: ByCost, rarest: number): ByCost {
  const usual = list.flatMap((group) => group ?? []).filter(({ cost }) => cost <= rarest);
  return grouped(usual, ({ cost }) => Math.min(weights.get(cost) ?? cost, jointWeightMax));
}

function grouped(
  list: readonly Alternative<unknown>[],
  weightOf: (one: Alternative<unknown>) => number,
): ByCost {
  const groups: Alternative<unknown>[][] = [];
  for (const one of list) (groups[weightOf(one) / costMin] ??= []).push(one);
  return groups;
}

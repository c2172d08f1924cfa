import { Moments, momentsOf, welchT } from './welch.ts';

/** The largest |t| between two kinds, over all the limits at which their samples were cropped. */
export interface Finding {
  readonly t: number;
  /** The difference of the means there, in the unit of the samples. */
  readonly difference: number;
  /** The share of the samples that counted there. */
  readonly share: number;
}

/**
 * The samples of one kind of client, once with all of them, and once for each of several limits above which
 * they are left out, as dudect does (Reparaz, Balasch, Verbauwhede: "Dude, is my code constant time?").
 * Otherwise, accidentally slow samples would hide a difference.
 */
export class CroppedSamples {
  readonly #limits: readonly number[];
  /** By limit, then by client. */
  readonly #moments: readonly (readonly Moments[])[];

  /**
   * @param limits ascending, from `croppingLimits`
   * @param clients of this kind
   */
  constructor(limits: readonly number[], clients: number) {
    this.#limits = limits;
    this.#moments = limits.map(() => Array.from({ length: clients }, () => new Moments()));
  }

  add(client: number, value: number): void {
    for (let index = this.#limits.length - 1; index >= 0 && value < this.#limits[index]!; index--)
      this.#moments[index]![client]!.add(value);
  }

  /**
   * Compares two kinds by the mean of each client. Any two keys differ a little because of their place in
   * memory, and so do decoys, so samples of one client are not independent samples of its kind.
   */
  compare(other: CroppedSamples): Finding {
    const findings = this.#moments.map((_, index): Finding => {
      const [left, right] = [this, other].map((kind) => momentsOf(kind.#meansAt(index))) as [
        Moments,
        Moments,
      ];
      return { t: welchT(left, right), difference: left.mean - right.mean, share: shares[index]! };
    });
    return findings.reduce((worst, one) => (Math.abs(one.t) > Math.abs(worst.t) ? one : worst));
  }

  #meansAt(index: number): readonly number[] {
    return this.#moments[index]!.filter(({ count }) => count > 0).map(({ mean }) => mean);
  }
}

/** Takes the limits from samples of all kinds. */
export function croppingLimits(samples: readonly number[]): readonly number[] {
  const sorted = samples.toSorted((left, right) => left - right);
  return shares.map((share) => sorted[Math.floor(share * sorted.length)] ?? Infinity);
}

/** Every fifth of dudect's own, and everything. */
const shares = [...Array.from({ length: 20 }, (_, index) => 1 - 0.5 ** ((index + 1) / 2)), 1];

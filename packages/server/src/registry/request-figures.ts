import { type AnalyticsFact, analyticsFacts } from '@countersign/contract';

/** Numbers of requests by their verdict. */
export interface Verdicts {
  readonly accepted: number;
  /** Requests that failed a check but passed. */
  readonly observed: number;
  readonly refused: number;
}

/** Stands for all values beyond the number that is counted separately. */
export const otherValues = '';

/**
 * The figures of some requests: their verdicts by the value of each fact, and their numbers by class of the service's
 * own time (see `timeClassOf`). The numbers of values and classes are limited, whatever callers send.
 */
export class RequestFigures {
  readonly values: ReadonlyMap<AnalyticsFact, Map<string, Verdicts>> = new Map(
    analyticsFacts.map((kind) => [kind, new Map<string, Verdicts>()]),
  );
  readonly times: Map<number, number> = new Map();

  /** Reads what `toText` has written. */
  static fromText(text: string): RequestFigures {
    const figures = new RequestFigures();
    if (text === '') return figures;
    const written = JSON.parse(text) as WrittenFigures;
    for (const [kind, values] of figures.values)
      for (const [name, accepted, observed, refused] of written[kind] ?? [])
        values.set(name, { accepted, observed, refused });
    for (const [timeClass, count] of written.times ?? []) figures.times.set(timeClass, count);
    return figures;
  }

  get isEmpty(): boolean {
    return this.times.size === 0 && [...this.values.values()].every(({ size }) => size === 0);
  }

  /** Returns an empty text if there are no figures. */
  toText(): string {
    if (this.isEmpty) return '';
    const values = [...this.values].map(([kind, ofKind]) => [
      kind,
      [...ofKind].map(([name, { accepted, observed, refused }]) => [name, accepted, observed, refused]),
    ]);
    return JSON.stringify({ ...Object.fromEntries(values), times: [...this.times] });
  }

  /** Adds verdicts to those of a value, or to those of the other values if there would be more than `valuesMax`. */
  addValue(kind: AnalyticsFact, name: string, verdicts: Verdicts, valuesMax: number): void {
    const values = this.values.get(kind)!;
    const kept = values.has(name) || values.size < valuesMax ? name : otherValues;
    values.set(kept, sumOf(values.get(kept) ?? noVerdicts, verdicts));
  }

  addTime(timeClass: number, count: number): void {
    this.times.set(timeClass, (this.times.get(timeClass) ?? 0) + count);
  }

  add(added: RequestFigures, valuesMax: number): void {
    for (const [kind, values] of added.values)
      for (const [name, verdicts] of values) this.addValue(kind, name, verdicts, valuesMax);
    for (const [timeClass, count] of added.times) this.addTime(timeClass, count);
  }

  /** Takes away figures that were added before. What has since been counted under the other values is taken from there. */
  subtract(removed: RequestFigures): void {
    for (const [kind, values] of removed.values) {
      for (const [name, verdicts] of values) {
        const missing = subtractFrom(this.values.get(kind)!, name, verdicts);
        subtractFrom(this.values.get(kind)!, otherValues, missing);
      }
    }
    for (const [timeClass, count] of removed.times) {
      const left = (this.times.get(timeClass) ?? 0) - count;
      if (left > 0) this.times.set(timeClass, left);
      else this.times.delete(timeClass);
    }
  }
}

/** As few characters as possible: each row has all of it. */
type WrittenFigures = Partial<
  Record<AnalyticsFact, readonly (readonly [string, number, number, number])[]>
> & {
  readonly times?: readonly (readonly [number, number])[];
};

export const noVerdicts: Verdicts = { accepted: 0, observed: 0, refused: 0 };

export function sumOf(one: Verdicts, other: Verdicts): Verdicts {
  return {
    accepted: one.accepted + other.accepted,
    observed: one.observed + other.observed,
    refused: one.refused + other.refused,
  };
}

/** Returns what could not be subtracted. */
function subtractFrom(values: Map<string, Verdicts>, name: string, verdicts: Verdicts): Verdicts {
  const known = values.get(name) ?? noVerdicts;
  const less = (key: keyof Verdicts): number => Math.min(known[key], verdicts[key]);
  const taken = { accepted: less('accepted'), observed: less('observed'), refused: less('refused') };
  const left = difference(known, taken);
  if (totalOf(left) > 0) values.set(name, left);
  else values.delete(name);
  return difference(verdicts, taken);
}

function difference(one: Verdicts, other: Verdicts): Verdicts {
  return {
    accepted: one.accepted - other.accepted,
    observed: one.observed - other.observed,
    refused: one.refused - other.refused,
  };
}

export function totalOf({ accepted, observed, refused }: Verdicts): number {
  return accepted + observed + refused;
}

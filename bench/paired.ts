/** The subject of a comparison, and the floor or peer to compare it with. */
export interface Pair {
  readonly name: string;
  readonly subject: () => unknown;
  readonly reference: () => unknown;
}

/** Medians over all rounds. */
export interface PairResult {
  readonly name: string;
  readonly subjectMicroseconds: number;
  readonly referenceMicroseconds: number;
  /** Median of the rounds' ratios; above 1, the subject takes longer. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
}

/**
 * Alternates both sides in many short rounds in one process, and takes the median of the rounds' ratios: a noisy neighbour slows
 * both sides of a round alike.
 */
export async function comparePair(pair: Pair, rounds: number, runsPerRound: number): Promise<PairResult> {
  await warmUp(pair.subject);
  await warmUp(pair.reference);
  const subject: number[] = [];
  const reference: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0;
    const one = await time(first ? pair.subject : pair.reference, runsPerRound);
    const other = await time(first ? pair.reference : pair.subject, runsPerRound);
    subject.push(first ? one : other);
    reference.push(first ? other : one);
    ratios.push(subject.at(-1)! / reference.at(-1)!);
  }
  return {
    name: pair.name,
    subjectMicroseconds: quantile(subject, 0.5),
    referenceMicroseconds: quantile(reference, 0.5),
    ratio: quantile(ratios, 0.5),
    quartiles: quartilesOf(ratios),
  };
}

/** Returns the two values between which the middle half lies. */
export function quartilesOf(values: readonly number[]): readonly [number, number] {
  return [quantile(values, 0.25), quantile(values, 0.75)];
}

/** Returns the value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** Long enough for the engine to compile hot code: a service runs for days. */
async function warmUp(work: () => unknown): Promise<void> {
  const until = performance.now() + 1500;
  while (performance.now() < until) await work();
}

/** Measures the microseconds of one run as a mean of many, awaiting promises. */
async function time(work: () => unknown, runs: number): Promise<number> {
  const isAsync = work() instanceof Promise;
  const started = process.hrtime.bigint();
  if (isAsync) for (let run = 0; run < runs; run++) await work();
  else for (let run = 0; run < runs; run++) work();
  return Number(process.hrtime.bigint() - started) / runs / 1000;
}

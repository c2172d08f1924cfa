/** Mean and variance of values, updated value by value (Welford). */
export class Moments {
  #count = 0;
  #squares = 0;
  mean = 0;

  add(value: number): void {
    this.#count++;
    const difference = value - this.mean;
    this.mean += difference / this.#count;
    this.#squares += difference * (value - this.mean);
  }

  get count(): number {
    return this.#count;
  }

  get varianceOfMean(): number {
    return this.#count < 2 ? 0 : this.#squares / (this.#count - 1) / this.#count;
  }
}

/** Welch's t: how certain it is that two kinds of values have different means. 0 while there are too few values. */
export function welchT(left: Moments, right: Moments): number {
  const variance = left.varianceOfMean + right.varianceOfMean;
  return variance > 0 ? (left.mean - right.mean) / Math.sqrt(variance) : 0;
}

export function momentsOf(values: readonly number[]): Moments {
  const moments = new Moments();
  for (const value of values) moments.add(value);
  return moments;
}

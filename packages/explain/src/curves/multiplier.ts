/** The points of a curve, as far as multiplying needs them. */
export interface Group<Point> {
  readonly neutral: Point;
  add(one: Point, other: Point): Point;
}

/** Multiplies one point by many numbers: what depends on the point alone is computed once. */
export class Multiplier<Point> {
  readonly #group: Group<Point>;
  /** For each hexadecimal digit, from the lowest: the point times 0 to 15, times the value of the digit's place. */
  readonly #places: readonly (readonly Point[])[];

  /** @param bytes the length of the numbers */
  constructor(group: Group<Point>, point: Point, bytes: number) {
    const places: Point[][] = [];
    let unit = point;
    for (let place = 0; place < 2 * bytes; place++) {
      const multiples = [group.neutral];
      for (let count = 1; count <= 16; count++) multiples.push(group.add(multiples[count - 1]!, unit));
      unit = multiples.pop()!;
      places.push(multiples);
    }
    this.#group = group;
    this.#places = places;
  }

  times(number: bigint): Point {
    let sum = this.#group.neutral;
    for (const [place, digit] of number.toString(16).split('').toReversed().entries())
      if (digit !== '0') sum = this.#group.add(sum, this.#places[place]![Number.parseInt(digit, 16)]!);
    return sum;
  }
}

/** Multiplies a point by one number. */
export function times<Point>(group: Group<Point>, point: Point, number: bigint): Point {
  let sum = group.neutral;
  for (const bit of number.toString(2)) {
    sum = group.add(sum, sum);
    if (bit === '1') sum = group.add(sum, point);
  }
  return sum;
}

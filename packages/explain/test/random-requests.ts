/** Values that differ from seed to seed, and are the same for the same seed. */
export interface Random {
  /** A word for the whole run. */
  readonly name: string;
  readonly below: (count: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  readonly isHeads: () => boolean;
  readonly word: () => string;
  readonly words: (count: number) => string;
  readonly digits: () => string;
  /** Several lines of text, some of them empty. */
  readonly lines: () => string;
  readonly json: (space?: string | number) => string;
  /** A URL with a path of several segments and a query of several parameters. */
  readonly uri: () => string;
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32.
  const below = (count: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;
  const word = (): string => {
    const syllables = Array.from({ length: 2 + below(2) }, () => pick(consonants) + pick(vowels));
    return syllables.join('');
  };
  const words = (count: number): string => Array.from({ length: count }, word).join(' ');
  const digits = (): string => String(100 + below(899_999));
  const lines = (): string =>
    Array.from({ length: 3 + below(4) }, (_, index) =>
      index > 0 && below(4) === 0 ? '' : words(1 + below(4)),
    ).join('\n') + `\n${word()}`;
  const json = (space?: string | number): string =>
    JSON.stringify(
      {
        [word()]: Number(digits()),
        [word()]: words(2),
        list: [1, 2.5, word()],
        inner: { [word()]: true, text: pick(['Zoë', 'a/b', 'x & y', 'plain']) },
      },
      null,
      space,
    );
  const parameters = (): string =>
    Array.from({ length: 2 + below(3) }, (_, index) => `${word()}${index}=${pick([word(), digits()])}`).join(
      '&',
    );
  const uri = (): string =>
    `https://api.example.test/v${1 + below(3)}/${word()}/${pick([word(), digits()])}?${parameters()}`;
  return { name: word(), below, pick, isHeads: () => below(2) === 0, word, words, digits, lines, json, uri };
}

const consonants = Array.from('bdfgklmnprstvz');
const vowels = Array.from('aeiou');

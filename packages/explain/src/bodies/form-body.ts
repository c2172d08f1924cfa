import { latin1Bytes, utf8Bytes } from '../byte-text.ts';
import { everyPercentForm } from '../reading/percent-forms.ts';
import { type Alternative, alternative, alternatives, reorderings } from '../drafts/alternatives.ts';

/** A form, decoded. */
export type FormPair = readonly [name: string, value: string];

/** Writes a name or a value. */
export type FormEscape = (text: string, isName: boolean) => string;

/** Changes the order of a form's pairs, or the way it writes lists. */
export type FormChange = (pairs: readonly FormPair[]) => readonly FormPair[];

/** Reads a form. Undefined if the text is not one. */
export function readForm(text: string): readonly FormPair[] | undefined {
  if (!/^[^\s=&{<"[][^\s=&]*=/.test(text)) return undefined;
  try {
    const pairs = text.split('&').map((part): FormPair => {
      const at = part.indexOf('=');
      return at < 0 ? [decoded(part), ''] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
    });
    return pairs.length <= pairsMax ? pairs : undefined;
  } catch {
    return undefined;
  }
}

export function writeForm(pairs: readonly FormPair[], escape: FormEscape): string {
  return pairs.map(([name, value]) => `${escape(name, true)}=${escape(value, false)}`).join('&');
}

const pairsMax = 64;

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** Characters that encoders leave unescaped, besides letters and digits. */
const safeSets: readonly (readonly [cost: number, characters: string])[] = [
  [0.5, '-._*'],
  [0.5, "-._~!'()*"],
  [1, '-._~'],
  [1, '-._!*()'],
  [1.5, '-._'],
  [1.5, '-._~$&+=:@'],
  [2, '-._~/'],
  [2, '-._~@:/?,!'],
  [2, "-._~!'()*:@&=+$,/?#"],
  [2.5, "-._~!$'()*,"],
  [2.5, '@*_+-./'],
];

/** Lists how the encoders of many languages escape the pairs of a form. */
export function escapeAlternatives(): readonly Alternative<FormEscape>[] {
  return [
    ...safeSets.flatMap(([cost, safe]) =>
      (['+', '%20'] as const).flatMap((space) => [
        encoder(safe, space, cost, false, false),
        encoder(safe, space, cost + 0.5, true, false),
        encoder(safe, space, cost + 0.5, false, true),
      ]),
    ),
    ...alternatives<FormEscape>('body_encoded', [
      ['without any percent-encoding', 1, (text) => text],
      ['with line breaks in place of \\n', 3, (text) => text.replaceAll('\\n', '\n')],
      [
        'with encoded line breaks in place of \\n',
        3,
        (text, isName) => usualEscape(text.replaceAll('\\n', '\n'), isName),
      ],
      ['with only its spaces encoded, as +', 2, (text) => text.replaceAll(' ', '+')],
      ['with only its spaces encoded, as %20', 2, (text) => text.replaceAll(' ', '%20')],
      ...(['+', '%20'] as const).map((space): readonly [string, number, FormEscape] => [
        'percent-encoded in Latin-1',
        2.5,
        (text) =>
          percentEncoded(latin1Bytes(text.replace(/[^\x00-\xff]/gu, '?')), safePattern('-._*'), space, false),
      ]),
    ]),
  ];
}

/**
 * Lists every way in which an encoder may escape a form: every subset of the form's characters may stay
 * unescaped.
 */
export function everyEscape(form: readonly FormPair[]): readonly Alternative<FormEscape>[] {
  return everyPercentForm(form.flat(), true).map(({ detail, write }) =>
    alternative<FormEscape>('body_encoded', detail, 3, write),
  );
}

/** The encoding of URLSearchParams, and of most others for letters and digits. */
export const usualEscape: FormEscape = (text) =>
  percentEncoded(utf8Bytes(text.toWellFormed()), usuallySafe, '+', false);

function encoder(
  safe: string,
  space: string,
  cost: number,
  isLower: boolean,
  hasBrackets: boolean,
): Alternative<FormEscape> {
  const inValue = safePattern(safe);
  const inName = hasBrackets ? safePattern(`${safe}[]`) : inValue;
  const details = [
    `${space} for spaces`,
    ...(isLower ? ['lower-case hex'] : []),
    ...(hasBrackets ? ['plain brackets in names'] : []),
  ];
  return alternative(
    'body_encoded',
    `with ${details.join(' and ')}, and everything but letters, digits and ${safe} percent-encoded`,
    cost,
    (text, isName) =>
      percentEncoded(utf8Bytes(text.toWellFormed()), isName ? inName : inValue, space, isLower),
  );
}

function safePattern(safe: string): (code: number) => boolean {
  const codes = new Set(utf8Bytes(`ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${safe}`));
  return (code) => codes.has(code);
}

const usuallySafe = safePattern('-._*');

function percentEncoded(
  bytes: Uint8Array,
  isSafe: (code: number) => boolean,
  space: string,
  isLower: boolean,
): string {
  let text = '';
  for (const code of bytes) {
    if (code === 0x20) text += space;
    else if (isSafe(code)) text += String.fromCharCode(code);
    else {
      const hex = code.toString(16).padStart(2, '0');
      text += `%${isLower ? hex : hex.toUpperCase()}`;
    }
  }
  return text;
}

export function formOrders(pairs: readonly FormPair[]): readonly Alternative<FormChange>[] {
  if (pairs.length < 2) return [];
  const ruled = alternatives<FormChange>('body_encoded', [
    ['with its fields sorted', 1, (some) => some.toSorted(byName)],
    ['with its fields in reverse order', 1.5, (some) => some.toReversed()],
    ['without its last field', 2, (some) => some.slice(0, -1)],
    ['without its first field', 2.5, (some) => some.slice(1)],
  ]);
  const others = reorderings(pairs.map((_, index) => index)).map(({ values }) =>
    alternative<FormChange>('body_encoded', 'with its fields in another order', 2, (some) =>
      some.length === values.length ? values.map((index) => some[index]!) : some,
    ),
  );
  return [...ruled, ...others];
}

function byName([a]: FormPair, [b]: FormPair): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Lists the pairs that a program may have read and written again as this form. */
export function formMeanings(pairs: readonly FormPair[]): readonly Alternative<FormChange>[] {
  const changes = meanings.filter(([, , change]) => {
    const changed = change(pairs);
    return (
      changed.length !== pairs.length ||
      changed.some(([name, value], index) => name !== pairs[index]![0] || value !== pairs[index]![1])
    );
  });
  return [...alternatives<FormChange>('body_encoded', changes), ...formLists(pairs)];
}

const everyValue =
  (change: (value: string) => string): FormChange =>
  (pairs) =>
    pairs.map(([name, value]) => [name, change(value)]);

const meanings: readonly (readonly [detail: string, cost: number, change: FormChange])[] = [
  // A program that sends decoded values leaves + and & unescaped.
  ['with + for itself, not for a space', 1.5, everyValue((value) => value.replaceAll(' ', '+'))],
  ['with & in a value', 2, withAmpersands],
  [
    'with + and & in a value',
    2,
    (pairs) => withAmpersands(pairs).map(([name, value]) => [name, value.replaceAll(' ', '+')]),
  ],
  // HTML forms have CRLF in their values, whatever line ends the page uses.
  ['with CRLF line breaks in its values', 2, everyValue((value) => value.replace(/\r?\n/g, '\r\n'))],
  ['with LF line breaks in its values', 2, everyValue((value) => value.replaceAll('\r\n', '\n'))],
  ['with its values trimmed', 2, everyValue((value) => value.trim())],
];

/** Treats a part without a value as the end of the previous value. */
function withAmpersands(pairs: readonly FormPair[]): readonly FormPair[] {
  const joined: FormPair[] = [];
  for (const [name, value] of pairs) {
    const before = joined.at(-1);
    if (value === '' && before) joined[joined.length - 1] = [before[0], `${before[1]}&${name}`];
    else joined.push([name, value]);
  }
  return joined;
}

/** Lists how languages write a name with several values. */
function formLists(pairs: readonly FormPair[]): readonly Alternative<FormChange>[] {
  const names = pairs.map(([name]) => plainName(name));
  const hasLists =
    new Set(names).size < names.length ||
    pairs.some(([name, value]) => plainName(name) !== name || value.includes(','));
  if (!hasLists) return namesOfLists;
  const written = (write: (name: string, values: readonly string[]) => readonly FormPair[]): FormChange => {
    return (some) =>
      [...Map.groupBy(some.flatMap(split), ([name]) => name)].flatMap(([name, group]) =>
        write(
          name,
          group.map(([, value]) => value),
        ),
      );
  };
  const several =
    (write: (name: string, values: readonly string[]) => readonly FormPair[]) =>
    (name: string, values: readonly string[]): readonly FormPair[] =>
      values.length > 1 ? write(name, values) : values.map((value) => [name, value]);
  return alternatives<FormChange>('body_encoded', [
    [
      'with one field for each value of a list',
      1,
      written((name, values) => values.map((value) => [name, value])),
    ],
    ['with the values of a list joined by commas', 1, written((name, values) => [[name, values.join(',')]])],
    [
      'with [] after the names of lists',
      1,
      written(several((name, values) => values.map((value) => [`${name}[]`, value]))),
    ],
    [
      'with indices in brackets after the names of lists',
      1,
      written(several((name, values) => values.map((value, index) => [`${name}[${index}]`, value]))),
    ],
    ['with only the last value of each list', 1, written((name, values) => [[name, values.at(-1)!]])],
    ['with only the first value of each list', 1.5, written((name, values) => [[name, values[0]!]])],
    [
      'with indices after dots in the names of lists',
      2.5,
      written(several((name, values) => values.map((value, index) => [`${name}.${index}`, value]))),
    ],
    ['with its lists as JSON', 2.5, written(several((name, values) => [[name, JSON.stringify(values)]]))],
    [
      'with the values of a list joined by spaces',
      2.5,
      written(several((name, values) => [[name, values.join(' ')]])),
    ],
  ]);
}

/** A list of one value does not show how lists are written. */
const namesOfLists = alternatives<FormChange>(
  'body_encoded',
  [
    ['with [] after its names', 2, '[]'],
    ['with [0] after its names', 2.5, '[0]'],
  ].map(([detail, cost, suffix]): readonly [string, number, FormChange] => [
    detail as string,
    cost as number,
    (pairs) => pairs.map(([name, value]) => [`${name}${suffix}`, value]),
  ]),
);

function split([name, value]: FormPair): readonly FormPair[] {
  return value.split(',').map((one) => [plainName(name), one]);
}

function plainName(name: string): string {
  return name.replace(/(?:\[\d*\]|\.\d+)$/, '');
}

import { readAccount } from '../corpus.ts';
import type { Wish } from './program.ts';

/** A number from 0 up to, but not including, `below`. */
export type Random = (below: number) => number;

export function pick<Value>(values: readonly Value[], random: Random): Value {
  return values[random(values.length)]!;
}

const account = readAccount();
const keys = account.keys.filter(
  ({ keyState, environment }) => keyState === 'active' && environment === undefined,
);
const words =
  'alpha bravo cargo delta echo fjord gamma hotel india juliet kilo lima mango nova orbit papa quark romeo sierra tango'.split(
    ' ',
  );
const resources =
  'payments orders invoices customers refunds webhooks accounts transfers items reports'.split(' ');
const texts = [
  'Zoë',
  'Müller & Söhne',
  'a/b',
  'é',
  'https://x.example/y?z=1',
  "O'Brien",
  'naïve',
  '100 %',
  'x=1',
  '日本',
  '<b>',
  '€ 5',
  'it is “so”',
  'tab\tthere',
  'emoji 🎉',
];

function identifier(random: Random): string {
  return Array.from({ length: 8 }, () => 'abcdefghjkmnpqrstvwxyz0123456789'[random(32)]).join('');
}

/** Creates a request of a kind that APIs have: nothing here is wrong. */
export function makeWish(random: Random): Wish {
  const { clientId, name } = pick(keys, random);
  const origin = pick(account.baseUrls.slice(0, random(3) === 0 ? 4 : 1), random);
  const method = pick(
    ['GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'],
    random,
  );
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const segments = ['v1', pick(resources, random)];
  if (random(2) === 0)
    segments.push(random(5) === 0 ? encodeURIComponent(pick(texts, random)) : identifier(random));
  if (random(4) === 0) segments.push(pick(resources, random));
  const query = Array.from({ length: random(4) }, () => parameter(random));
  return {
    method,
    url: `${origin}/${segments.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    body: hasBody ? bodyText(random) : '',
    clientId,
    key: name,
    clock: Date.UTC(2026, random(12), 1 + random(28), random(24), random(60), random(60)) / 1000,
  };
}

function parameter(random: Random): string {
  const name = pick(words, random);
  switch (random(7)) {
    case 0:
      return `${name}%5B${pick(words, random)}%5D=${identifier(random)}`;
    case 1:
    case 2:
      return `${name}=${encodeURIComponent(pick(texts, random))}`;
    case 3:
      return `${name}=${pick(words, random)}%20${pick(words, random)}`;
    case 4:
      return `${name}=${random(2) === 0 ? '' : 2026}`;
    default:
      return `${name}=${random(1000)}`;
  }
}

function bodyText(random: Random): string {
  if (random(12) === 0)
    return `${pick(words, random)}=${random(1000)}&${pick(words, random)}=${encodeURIComponent(pick(texts, random))}`;
  const value: Record<string, unknown> = {};
  for (let count = 2 + random(5); count > 0; count--) value[pick(words, random)] = jsonValue(random, 0);
  return JSON.stringify(value);
}

function jsonValue(random: Random, depth: number): unknown {
  switch (random(depth > 1 ? 7 : 10)) {
    case 0:
      return pick(texts, random);
    case 1:
      return random(2) === 0;
    case 2:
      return random(2) === 0 ? null : random(10_000) / 100;
    case 3:
    case 4:
      return random(100_000);
    case 7:
      return Array.from({ length: random(4) }, () => jsonValue(random, depth + 1));
    case 8:
    case 9: {
      const inner: Record<string, unknown> = {};
      for (let count = random(4); count > 0; count--)
        inner[pick(words, random)] = jsonValue(random, depth + 1);
      return inner;
    }
    default:
      return pick(words, random);
  }
}

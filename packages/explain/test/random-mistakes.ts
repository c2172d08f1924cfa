import { formatHttpDate } from '@countersign/signature';
import type { RequestToExplain } from '../src/index.ts';
import { contentDigest, created, makeRequest, type Signed, usualParams } from './mistaken-request.ts';
import type { Random } from './random-requests.ts';

/** A mistaken request, and its maker's actions, which no sentence may contradict. */
export interface MadeMistake {
  readonly request: RequestToExplain;
  /** The text that was signed. */
  readonly signed: string;
  /** The text that was hashed. */
  readonly hashed: string;
  /** The signature as the signing function returned it. */
  readonly signature: Buffer;
}

type Make = (random: Random) => MadeMistake;

/** Makes one mistake of a kind, in values that are new each time. */
export const mistakesOf: Readonly<Record<string, Make>> = {
  'the URL': (random) => {
    const uri = random.uri();
    return signing({ uri, base: (base) => base.replace(uri, () => otherUrl(random, uri)) });
  },
  'the form of the base': (random) => signing({ uri: random.uri(), base: otherForm(random) }),
  'the URL and the form of the base': (random) => {
    const uri = random.uri();
    const form = otherForm(random);
    return signing({ uri, base: (base) => form(base.replace(uri, () => otherUrl(random, uri))) });
  },
  'the Date that was signed': (random) => {
    const other = formatHttpDate(created + (random.isHeads() ? 1 : -1) * (1 + random.below(200)));
    return signing({ uri: random.uri(), base: (base) => base.replace(/(?<="date": ).*/, other) });
  },
  'a Date that was replaced': (random) => {
    const other = formatHttpDate(created + (random.isHeads() ? 1 : -1) * (1 + random.below(20_000)));
    const proxies: [string, string][] = random.isHeads() ? [['Via', '1.1 edge']] : [];
    return signing({
      uri: random.uri(),
      headers: (lines) => [
        ...lines.map(([name, value]): [string, string] => [name, name === 'Date' ? other : value]),
        ...proxies,
      ],
    });
  },
  'created and its base': (random) => {
    const by = (random.isHeads() ? 1 : -1) * (1 + random.below(20));
    return signing({
      uri: random.uri(),
      base: (base) => base.replace(`created=${created}`, `created=${created - by}`),
    });
  },
  'the clock': (random) => {
    const at =
      created +
      random.pick([-1, 1]) * random.pick([1800, 3600, 7200, 19_800, 20_700, 301 + random.below(90_000)]);
    return signing({
      uri: random.uri(),
      params: usualParams.replace(String(created), String(at)),
      ...(random.isHeads() && { date: formatHttpDate(at) }),
    });
  },
  'the unit of created': (random) => {
    const digits = random.pick(['000', '123', '000000', '654321', '000000000', '.0', '.125']);
    return signing({
      uri: random.uri(),
      params: usualParams.replace(String(created), `${created}${digits}`),
    });
  },
  'the parameters': (random) =>
    signing({
      uri: random.uri(),
      base: (base) =>
        base.replace(
          /"@signature-params": .*/,
          random.pick<(line: string) => string>([
            (line) => line.replace(/;keyid="[^"]*"/, ''),
            (line) => line.replaceAll(';', '; '),
            (line) => line.replace('rsa-v1_5-sha256', 'rsa-sha256'),
            (line) => line.replace(/;(created=\d+);(keyid="[^"]*")/, ';$2;$1'),
            (line) => line.replace(': (', ': sig=('),
          ]),
        ),
    }),
  'a body': (random) => {
    const body = random.json(random.pick([undefined, 2, '\t']));
    return hashing(body, otherBody(random, body), random);
  },
  'a body and the URL': (random) => {
    const body = random.json();
    const uri = random.uri();
    return hashing(body, otherBody(random, body), random, {
      uri,
      base: (base) => base.replace(uri, () => otherUrl(random, uri)),
    });
  },
  'a text': (random) => {
    const body = random.lines();
    const other = random.pick<(text: string) => string>([
      (text) => text.replaceAll('\n', '\r\n'),
      (text) => text.replaceAll('\n', ''),
      (text) => `${text}\n`,
      (text) => `${text}\r`,
      (text) => encodeURIComponent(text),
    ]);
    return hashing(body, other(body), random);
  },
  'nothing that is known': (random) => hashing(random.json(), `${random.words(5)}!`, random),
  'the bytes of the signature': (random) => {
    const write = random.pick<(signature: Buffer) => Buffer>([
      (signature) => Buffer.from(signature.toString('latin1')),
      (signature) => Buffer.concat([Buffer.alloc(1 + random.below(3)), signature]),
      (signature) => Buffer.concat([signature, Buffer.from('\n')]),
      (signature) => Buffer.concat([Buffer.from([4, 0x82, 1, 0]), signature]),
      (signature) => Buffer.concat([Buffer.from([0x30, 0x82, 1, 4, 4, 0x82, 1, 0]), signature]),
      (signature) => Buffer.from(signature.toString('latin1'), 'utf16le'),
    ]);
    return signing({
      uri: random.uri(),
      write: (signature) => `sig=:${write(signature).toString('base64')}:`,
    });
  },
  'a header that was lost': (random) =>
    signing({
      uri: random.uri(),
      headers: (lines) => {
        const lost = random.pick(['Date', 'Content-Digest']);
        return lines.filter(([name]) => name !== lost);
      },
    }),
};

function signing(change: Partial<Signed>): MadeMistake {
  let signed = '';
  let signature: Buffer = Buffer.alloc(0);
  const { base = (text: string) => text, write = (bytes: Buffer) => `sig=:${bytes.toString('base64')}:` } =
    change;
  const request = makeRequest({
    ...change,
    base: (text) => (signed = base(text)),
    write: (bytes) => write((signature = bytes)),
  });
  return { request, signed, signature, hashed: Buffer.from(request.body ?? []).toString() };
}

function hashing(body: string, hashed: string, random: Random, change: Partial<Signed> = {}): MadeMistake {
  const made = signing({
    uri: random.uri(),
    body: Buffer.from(body),
    digest: contentDigest(hashed),
    ...change,
  });
  return { ...made, hashed };
}

function otherUrl(random: Random, uri: string): string {
  return random.pick<(text: string) => string>([
    (text) => text.replace(/\?.*/, ''),
    (text) => text.replace('https', 'http'),
    (text) => text.replace('example.test', 'example.test:443'),
    (text) => text.replace('api.', 'API.'),
    (text) => text.replace('?', '/?'),
    (text) => text.replace(/\/v\d/, ''),
    (text) => text.replace(/\/v\d/, (version) => `/api${version}`),
    (text) => text.replace(/\?(.*?)&(.*)/, '?$2&$1'),
    (text) => text.replace(/&[^&]*$/, ''),
    (text) => `${text}#top`,
    (text) => text.replace('https://api.example.test', ''),
    (text) => text.replace('https://', 'https:/'),
    (text) => text.replace('https://', 'wss://'),
    (text) => text.replaceAll('&', '&amp;'),
    (text) => text.replace(/=[^&]*$/, '=undefined'),
    (text) => text.replace(/=[^&]*$/, '={id}'),
    (text) => text.replace('?', '\n?'),
    (text) => text.replace('api.example.test', 'localhost:8080'),
  ])(uri);
}

function otherForm(random: Random): Signed['base'] {
  return random.pick<Signed['base']>([
    (base) => `${base}\n`,
    (base) => base.replaceAll('\n', '\r\n'),
    (base) => base.replace(/"(@?[a-z-]+)": /g, '$1: '),
    (base) => base.replace(/": /g, '":'),
    (base) => base.replace(/\n"@signature-params".*/, ''),
    (base) => base.replace(/\n"date".*/, ''),
    (base) => base.replace(/("content-digest": .*)\n("date": .*)/, '$2\n$1'),
    (base) => base.replace('POST', 'post'),
    (base) => base.replace('POST', 'GET'),
    (base) => base.replaceAll('\n', '\n    '),
    (base) => `\n${base.replace(/^/gm, '\t')}\n`,
    (base) => base.replace(/"date": .*/, '"date": '),
    (base) => base.replace(/sha-256=:(.*):/, 'SHA-256=$1'),
  ]);
}

function otherBody(random: Random, body: string): string {
  const value = JSON.parse(body) as Record<string, unknown>;
  const [first = ''] = Object.keys(value);
  const { [first]: _left, ...rest } = value;
  return random.pick([
    () => JSON.stringify(value, null, body.includes('\n') ? 4 : 2),
    () => JSON.stringify(Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))),
    () => JSON.stringify(Object.fromEntries(Object.entries(value).toReversed())),
    () => JSON.stringify(rest),
    () => body.replace('2.5', '2.50'),
    () => body.replaceAll('"list"', '"li\\u0073t"'),
    () => `${body}\n`,
    () => JSON.stringify(JSON.stringify(value)),
    () => body.replaceAll('\n', '\r\n') + '\n',
    () => body.slice(0, -1),
    () => '[object Object]',
  ])();
}

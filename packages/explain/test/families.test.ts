import assert from 'node:assert/strict';
import { hash, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { codesOf, type Explanation, type RequestToExplain } from '../src/index.ts';
import { contentDigest, explained, makeRequest, type Signed } from './mistaken-request.ts';
import { randomOf, type Random } from './random-requests.ts';

/** Mistakes of one kind, each of which is named by one of the codes. */
interface Family {
  readonly title: string;
  readonly codes: readonly string[];
  /** The content of the sentence. */
  readonly what: RegExp;
  readonly make: (random: Random) => RequestToExplain;
}

const freshCount = 20;
const seed = 20_261_126;

const hashed = (body: string, digested: string | Buffer): RequestToExplain =>
  makeRequest({ body: Buffer.from(body), digest: contentDigest(digested) });
const signedAs = (uri: string, signed: string, change: Partial<Signed> = {}): RequestToExplain =>
  makeRequest({ uri, base: (base) => base.replace(uri, () => signed), ...change });
const built = (uri: string, base: Signed['base']): RequestToExplain => makeRequest({ uri, base });

const families: readonly Family[] = [
  {
    title: 'line breaks taken out of a body',
    codes: ['body_line_ends'],
    what: /^You hashed the same text without its line breaks, but /,
    make: (random) => {
      const text = random.pick([() => random.lines(), () => random.json(2), () => random.json('\t')])();
      const lineEnd = random.pick(['\n', '\r\n']);
      const body = text.replaceAll('\n', lineEnd) + random.pick(['', lineEnd]);
      return hashed(body, body.replace(/\r?\n/g, ''));
    },
  },
  {
    title: 'a lone carriage return at the end of a body',
    codes: ['body_trailing_newline'],
    what: /^You hashed the same body with(?:out the white space| a carriage return) at its end, but /,
    make: (random) => {
      const body = random.pick([() => random.json(), () => random.words(3), () => random.lines()])();
      return random.isHeads() ? hashed(body, `${body}\r`) : hashed(`${body}\r`, body);
    },
  },
  {
    title: 'a scheme with too few or too many slashes',
    codes: ['url_double_slash'],
    what: /^You signed a URL that starts with https?:\/{0,3}, but the one that arrived starts with https?:\/\/\.$/,
    make: (random) => {
      const uri = random.uri();
      return signedAs(uri, uri.replace('://', random.pick([':/', ':', ':///'])));
    },
  },
  {
    title: 'white space inside the URL',
    codes: ['base_value_trimmed'],
    what: /^You signed the URL with (?:a space|a newline|CRLF|a tab|a newline and [24] spaces) before /,
    make: (random) => {
      const uri = random.uri();
      const at = random.pick([...uri.matchAll(/(?<=[/?&])[a-z]/g)].slice(1)).index;
      const space = random.pick([' ', '\n', '\r\n', '\t', '\n    ', '\n  ']);
      const place = space.length === 1 && space !== '\t' ? at : at - 1;
      return signedAs(uri, uri.slice(0, place) + space + uri.slice(place));
    },
  },
  {
    title: 'the scheme of a WebSocket',
    codes: ['url_scheme'],
    what: /^You signed a URL that starts with wss?:\/\/, but the one that arrived starts with https?:\/\/\.$/,
    make: (random) => {
      const uri = random.uri();
      return signedAs(uri, uri.replace(/^http/, 'ws'));
    },
  },
  {
    title: 'a placeholder left in the path',
    codes: ['url_path_prefix'],
    what: /: the URL was signed before its value was set\.$/,
    make: (random) => {
      const uri = `https://api.example.test/v1/${random.word()}s/${random.digits()}`;
      const name = random.pick(['id', 'name', 'uuid']);
      const placeholder = random.pick([
        `{${name}}`,
        `:${name}`,
        `\${${name}}`,
        `{{${name}}}`,
        `<${name}>`,
        '%s',
        '{}',
      ]);
      return signedAs(
        uri,
        uri.replace(/\d+$/, () => placeholder),
      );
    },
  },
  {
    title: 'a placeholder left in the query',
    codes: ['url_query_part'],
    what: /: the URL was signed before its value was set\.$/,
    make: (random) => {
      const name = random.word();
      const uri = `${random.uri()}&${name}=${random.word()}`;
      const placeholder = random.pick([
        `{${name}}`,
        `:${name}`,
        `\${${name}}`,
        `{{${name}}}`,
        '%s',
        '{}',
        `$${name}`,
      ]);
      return signedAs(
        uri,
        uri.replace(/[^=]*$/, () => placeholder),
      );
    },
  },
  {
    title: 'booleans as a language prints them',
    codes: ['url_query_part', 'base_value_case'],
    what: /True|False|=[01]|TRUE|FALSE/,
    make: (random) => {
      const [isTrue, isFalse] = random.pick([
        ['True', 'False'],
        ['1', '0'],
        ['TRUE', 'FALSE'],
      ] as const);
      const uri = `${random.uri()}&active=${random.pick(['true', 'false'])}&${random.word()}=true`;
      return signedAs(uri, uri.replaceAll('=true', `=${isTrue}`).replaceAll('=false', `=${isFalse}`));
    },
  },
  {
    title: 'lists printed into a query',
    codes: ['url_query_part'],
    what: /printed as a list/,
    make: (random) => {
      const name = `${random.word()}s`;
      const values = [random.word(), random.word(), random.digits()];
      const start = 'https://api.example.test/v1/search?';
      const sent = random.isHeads()
        ? `${name}=${values.join(',')}`
        : values.map((one) => `${name}=${one}`).join('&');
      const [quote, between] = random.pick([
        ["'", ', '],
        ["'", ','],
        ['"', ','],
        ['', ', '],
        ['', ','],
      ] as const);
      const printed = `[${values.map((value) => quote + value + quote).join(between)}]`;
      const encode = random.pick<(text: string) => string>([
        (text) => text,
        (text) => encodeURIComponent(text),
        (text) => new URLSearchParams([['', text]]).toString().slice(1),
      ]);
      return signedAs(start + sent, `${start}${name}=${encode(printed)}`);
    },
  },
  {
    title: 'the text of nothing in a query',
    codes: ['url_query_part'],
    what: /null|undefined|None/,
    make: (random) => {
      const path = `https://api.example.test/v1/${random.word()}`;
      const nothing = random.pick(['null', 'undefined', 'None']);
      const query = `?${random.word()}=${random.word()}`;
      return random.pick([
        () => signedAs(path, `${path}?${nothing}`),
        () => signedAs(path + query, `${path}?${nothing}`),
        () => signedAs(path + query, `${path}${query}&${nothing}`),
        () => signedAs(path + query, (path + query).replace(/[^=]*$/, nothing)),
      ])();
    },
  },
  {
    title: '&amp; in a query',
    codes: ['url_query_encoding'],
    what: /&amp;/,
    make: (random) => {
      const uri = random.uri();
      const escaped = uri.replaceAll('&', '&amp;');
      return random.isHeads() ? signedAs(uri, escaped) : signedAs(escaped, uri);
    },
  },
  {
    title: 'a base that is indented as the text of a program',
    codes: ['base_value_trimmed'],
    what: /^You signed the signature base with each line|^You signed the line|lines indented by/,
    make: (random) => {
      const step = random.pick(['\t', '\t\t', '    ', '        ', '  ', ' '.repeat(12)]);
      const frame = random.pick<(text: string) => string>([
        (text) => text,
        (text) => `\n${text}`,
        (text) => `\n${text}\n`,
        (text) => `\n${text}\n${step}`,
      ]);
      return built(random.uri(), (base) => frame(base.replace(/^/gm, step)));
    },
  },
  {
    title: 'a line end after a hash before it was encoded',
    codes: [
      'digest_form',
      'digest_of_hex',
      'signature_of_base64_hash',
      'signature_of_hex_hash',
      'digest_double_base64',
    ],
    what: /newline|CRLF|hexadecimal|twice/,
    make: (random) => {
      const body = Buffer.from(random.json());
      const lineEnd = random.pick(['\n', '\r\n']);
      const digest = (bytes: Buffer): RequestToExplain =>
        makeRequest({ body, digest: `sha-256=:${bytes.toString('base64')}:` });
      return random.pick([
        () => digest(Buffer.concat([hash('sha256', body, 'buffer'), Buffer.from(lineEnd)])),
        () => digest(Buffer.from(hash('sha256', body, 'hex') + lineEnd)),
        () => digest(Buffer.from(hash('sha256', body, 'base64') + lineEnd)),
        () => digest(hash('sha256', `${hash('sha256', body, 'base64')}\n`, 'buffer')),
        () =>
          makeRequest({
            body,
            sign: (base, key) =>
              sign('sha256', Buffer.from(`${hash('sha256', base, 'base64')}${lineEnd}`), key),
          }),
        () =>
          makeRequest({
            body,
            sign: (base, key) => sign('sha256', Buffer.from(`${hash('sha256', base, 'hex')}\n`), key),
          }),
      ])();
    },
  },
  {
    title: 'a body that was encoded as for a URL',
    codes: ['body_encoded'],
    what: /^You hashed the percent-encoded body/,
    make: (random) => {
      const body = random.json();
      const encoded = encodeURIComponent(body);
      const form = new URLSearchParams([['', body]]).toString().slice(1);
      return hashed(
        body,
        random.pick([encoded, encoded.replaceAll('%20', '+'), form, `${form}=`, encodeURI(body)]),
      );
    },
  },
  {
    title: 'spaces as + in one part and %20 in another',
    codes: ['url_query_encoding', 'url_path_encoding'],
    what: /some spaces as \+, others as %20|spaces as (?:\+|%20)/,
    make: (random) => {
      const spaces = [random.word(), random.word(), random.word()].map(
        (name) => `${name}=${random.word()} ${random.word()}`,
      );
      const written = (): string =>
        spaces.map((part) => part.replace(' ', random.pick(['+', '%20']))).join('&');
      const start = 'https://api.example.test/v1/search?';
      const sent = written();
      let signed = written();
      while (signed === sent) signed = written();
      return signedAs(start + sent, start + signed);
    },
  },
  {
    title: 'members that are null left out',
    codes: ['body_json_members'],
    what: /without its null members/,
    make: (random) => {
      const value = {
        [random.word()]: 1,
        none: null,
        inner: { [random.word()]: random.word(), no: null },
        last: null,
      };
      const replacer = (_: string, one: unknown): unknown => (one === null ? undefined : one);
      const layout = random.pick([undefined, 2, '\t']);
      return hashed(JSON.stringify(value, null, layout), JSON.stringify(value, replacer, layout));
    },
  },
  {
    title: 'times with and without milliseconds',
    codes: ['body_json_members'],
    what: /times/,
    make: (random) => {
      const second = random.pick(['2026-05-27T16:28:42', '1999-12-31T23:59:59', '2030-01-01T00:00:00']);
      const [sent, hashedTime] = random.pick([
        ['Z', '.000Z'],
        ['.000Z', 'Z'],
        ['.120Z', '.12Z'],
        ['Z', '+00:00'],
        ['+00:00', 'Z'],
        ['.5Z', '.500Z'],
        ['.123Z', '.123000Z'],
      ] as const);
      const body = (time: string): string =>
        JSON.stringify({ [random.name]: [second + time], at: second + time, note: 'a b' });
      return hashed(body(sent), body(hashedTime));
    },
  },
  {
    title: 'names that a shell expanded in a URL',
    codes: ['url_query_part', 'url_path_prefix'],
    what: /: a shell replaced .*\$/,
    make: (random) => {
      const start = `https://api.example.test/v1/${random.word()}`;
      const uri = random.pick([
        `${start}?$filter=${random.word()}&$top=${random.digits()}`,
        `${start}?price=$5.00&${random.word()}=1`,
        `${start}/$batch?x=${random.word()}`,
        `${start}?$${random.word()}=1`,
      ]);
      return signedAs(uri, uri.replace(/\$(?:[A-Za-z_]\w*|\d)/g, ''));
    },
  },
  {
    title: 'names that a shell expanded in a body',
    codes: ['body_other'],
    what: /a shell replaced/,
    make: (random) => {
      const body = JSON.stringify({
        price: `$${random.pick(['5.00', '12', '9.99'])}`,
        [random.word()]: random.pick([`$${random.word()} x`, random.word()]),
      });
      const expanded = body.replace(/\$(?:[A-Za-z_]\w*|\d)/g, '');
      // Only amounts can be recovered from the sent text: names are gone.
      return random.isHeads() || /\$[a-z]/.test(body) ? hashed(body, expanded) : hashed(expanded, body);
    },
  },
  {
    title: 'a base that printf read as its format',
    codes: ['base_encoded'],
    what: /^You signed what printf makes of the signature base/,
    make: (random) => {
      const kind = random.pick(['b', 'd', 's', 'x']);
      const uri = `https://api.example.test/v1/${random.word()}?ref=a%20${kind}${random.word()}`;
      const text = { b: '', s: '', d: '0', x: '0' }[kind]!;
      return built(uri, (base) => base.replace(`%20${kind}`, text.padStart(20)));
    },
  },
];

describe('a family of mistakes', () => {
  for (const { title, codes, what, make } of families)
    it(`${title}: ${freshCount} of them are named and proven`, () => {
      const random = randomOf(seed + title.length);
      const missed: string[] = [];
      for (let count = 0; count < freshCount; count++) {
        const request = make(random);
        const explanation = explained(request);
        if (!isProven(explanation, codes, what)) missed.push(lineOf(request, explanation));
      }
      assert.deepEqual(missed, []);
    });
});

function isProven({ findings }: Explanation, codes: readonly string[], what: RegExp): boolean {
  return findings.some(
    (finding) =>
      finding.certainty === 'proven' &&
      codesOf(finding).some((code) => codes.includes(code)) &&
      what.test(finding.what),
  );
}

function lineOf({ targetUri, body }: RequestToExplain, { findings }: Explanation): string {
  return `${targetUri} ${Buffer.from(body ?? []).toString()}: ${findings.map(({ code, what }) => `${code} ${what}`).join(' | ')}`;
}

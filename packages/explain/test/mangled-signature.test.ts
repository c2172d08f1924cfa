import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { formatHttpDate } from '@countersign/signature';
import type { RequestToExplain } from '../src/index.ts';
import {
  candidates,
  created,
  explained,
  makeRequest,
  namesOf,
  nowSeconds,
  strangerKey,
  usualParams,
} from './mistaken-request.ts';

/** A program's change to the bytes of a signature, and the sentence about it. */
type Way = readonly [title: string, write: (signature: Buffer) => string, what: RegExp];

const header = (content: string): string => `sig=:${content}:`;
const sent = (bytes: Uint8Array | string): string => header(Buffer.from(bytes).toString('base64'));
const joined = (...parts: readonly (Uint8Array | string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)));
const base64 = (signature: Buffer): string => signature.toString('base64');
const der = (tag: number, content: Buffer): Buffer =>
  joined([tag, 0x82, content.length >> 8, content.length & 0xff], content);
const ssh = (...parts: readonly (string | Buffer)[]): Buffer =>
  joined(
    ...parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(part));
      return [length, Buffer.from(part)];
    }),
  );
const rsaOid = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
const base32 = (bytes: Buffer): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
};

const provenWays: readonly Way[] = [
  [
    'as a text in UTF-8',
    (signature) => sent(signature.toString('latin1')),
    /^The Signature header holds (\d+) bytes, which are the 256 bytes of the signature as a text in UTF-8\.$/,
  ],
  [
    'as a text of Windows-1252 in UTF-8',
    (signature) => sent(new TextDecoder('windows-1252').decode(signature)),
    / as a text in UTF-8\.$/,
  ],
  [
    'as a text in UTF-16',
    (signature) => sent(Buffer.from(signature.toString('latin1'), 'utf16le')),
    /holds 512 bytes, which are the 256 bytes of the signature as a text in UTF-16\.$/,
  ],
  ['after a zero byte', (signature) => sent(joined([0], signature)), /a zero byte stands before its 256\.$/],
  [
    'after four zero bytes',
    (signature) => sent(joined([0, 0, 0, 0], signature)),
    /4 zero bytes stand before its 256\.$/,
  ],
  ['before a newline', (signature) => sent(joined(signature, '\n')), /the first 256 bytes of 257\.$/],
  ['before CRLF', (signature) => sent(joined(signature, '\r\n')), /the first 256 bytes of 258\.$/],
  [
    'in a buffer that is too long',
    (signature) => sent(joined(signature, Buffer.alloc(300))),
    /zeros after it, so that the signature is the first 256 bytes of 556\.$/,
  ],
  ['in an OCTET STRING', (signature) => sent(der(4, signature)), /OCTET STRING.* bytes 4 to 259 of 260\.$/],
  [
    'in a BIT STRING',
    (signature) => sent(der(3, joined([0], signature))),
    /BIT STRING.* bytes 5 to 260 of 261\.$/,
  ],
  [
    'in an INTEGER',
    (signature) => sent(der(2, joined([0], signature))),
    /INTEGER.* bytes 5 to 260 of 261\.$/,
  ],
  [
    'in a SEQUENCE',
    (signature) => sent(der(0x30, joined(rsaOid, der(4, signature)))),
    /SEQUENCE.* bytes 23 to 278 of 279\.$/,
  ],
  [
    'in a signed message, before other fields',
    (signature) => sent(der(0x30, joined(rsaOid, der(4, signature), der(0xa1, Buffer.alloc(40))))),
    /SEQUENCE.* bytes 23 to 278 of 323\.$/,
  ],
  [
    'in the format of SSH',
    (signature) => sent(ssh('rsa-sha2-256', signature)),
    /SSH.* bytes 20 to 275 of 276\.$/,
  ],
  ['after its length', (signature) => sent(ssh(signature)), /a length of 4 bytes.* bytes 4 to 259 of 260\.$/],
  [
    'in JSON, in Base64',
    (signature) => sent(JSON.stringify({ signature: base64(signature) })),
    /^The Signature header holds the Base64 of a text, which starts with \{"signature":", not of the 256 bytes/,
  ],
  [
    'in PEM, in Base64',
    (signature) =>
      sent(
        `-----BEGIN SIGNATURE-----\n${base64(signature).replace(/.{64}/g, '$&\n')}\n-----END SIGNATURE-----\n`,
      ),
    /starts with -----BEGIN SIGNATURE----, not of the 256 bytes of the signature in it\.$/,
  ],
  [
    'after its name, in Base64',
    (signature) => sent(`vault:v1:${base64(signature)}`),
    /starts with vault:v1:/,
  ],
  [
    'as JSON of a Buffer, in Base64',
    (signature) => sent(JSON.stringify(signature)),
    /starts with \{"type":"Buffer"/,
  ],
  [
    'as the UTF-16 of its Base64',
    (signature) => sent(Buffer.from(base64(signature), 'utf16le')),
    /the Base64 of a text, not/,
  ],
  [
    'in Base32',
    (signature) => header(base32(signature)),
    /^The signature is written in Base32, not in Base64\.$/,
  ],
];

const lostWays: readonly Way[] = [
  [
    'decoded as UTF-8',
    (signature) => sent(signature.toString('utf8')),
    /holds the replacement character U\+FFFD (\d+) times/,
  ],
  ['decoded as ASCII', (signature) => sent(signature.toString('ascii')), /none of its bytes is above 0x7F/],
  [
    'with question marks',
    (signature) => sent(signature.map((byte) => (byte > 0x7f ? 0x3f : byte))),
    /none of its bytes is above 0x7F/,
  ],
  [
    'in lower case',
    (signature) => header(base64(signature).toLowerCase()),
    /all in lower case, so its bytes are lost/,
  ],
  [
    'in upper case',
    (signature) => header(base64(signature).toUpperCase()),
    /all in upper case, so its bytes are lost/,
  ],
];

const enclosedWays: readonly Way[] = [
  [
    'a version',
    (signature) => header(`vault:v1:${base64(signature)}`),
    /has `vault:v1:` before its Base64\.$/,
  ],
  ['a full stop', (signature) => header(`${base64(signature)}.`), /has `\.` after its Base64\.$/],
  ['a semicolon', (signature) => header(`${base64(signature)};`), /has `;` after its Base64\.$/],
  [
    'more colons',
    (signature) => header(`:${base64(signature)}:`),
    /has `:` before and `:` after its Base64\.$/,
  ],
  [
    'a zero-width space',
    (signature) => header(`\u00e2\u0080\u008b${base64(signature)}`),
    /has `<ZWSP>` before its Base64\.$/,
  ],
  [
    'typographic quotes',
    (signature) => header(`\u00e2\u0080\u009c${base64(signature)}\u00e2\u0080\u009d`),
    /has `“` before and `”` after its Base64\.$/,
  ],
  [
    'an exclamation mark in the middle',
    (signature) => header(`${base64(signature).slice(0, 99)}!${base64(signature).slice(99)}`),
    /has `!` within its Base64\.$/,
  ],
];

/** As many signatures as there are seconds. */
function requestAt(seconds: number, write: (signature: Buffer) => string): RequestToExplain {
  return makeRequest({
    params: usualParams.replace(String(created), String(seconds)),
    date: formatHttpDate(seconds),
    write,
  });
}

describe('a signature', () => {
  const seconds = Array.from({ length: 5 }, (_, index) => created - index * 7);

  for (const [title, write, what] of provenWays)
    it(`${title} is read, and the key that made it is known`, () => {
      for (const at of seconds) {
        const explanation = explained(requestAt(at, write));
        assert.deepEqual(namesOf(explanation), ['signature_form proven']);
        assert.match(explanation.findings[0]!.what, what);
      }
    });

  it('whose leading zero was dropped is read', () => {
    const found = Array.from({ length: 4000 }, (_, index) => created - 250 + index);
    let count = 0;
    for (const at of found) {
      let isShorter = false;
      const request = requestAt(at, (signature) => {
        const start = signature.findIndex((byte) => byte !== 0);
        isShorter = start > 0;
        return sent(signature.subarray(start));
      });
      if (!isShorter) continue;
      const explanation = explained(request, { nowSeconds: at + 1 });
      assert.deepEqual(namesOf(explanation), ['signature_form proven']);
      assert.match(
        explanation.findings[0]!.what,
        /^The signature has 25[45] bytes, because (?:a|2) zero bytes? at its start/,
      );
      count++;
      if (count === 2) break;
    }
    assert.equal(count, 2);
  });

  for (const [title, write, what] of lostWays)
    it(`${title} is told as lost, and no key as unknown`, () => {
      for (const at of seconds) {
        const explanation = explained(requestAt(at, write));
        assert.deepEqual(namesOf(explanation), ['signature_form observed']);
        assert.match(explanation.findings[0]!.what, what);
      }
    });

  for (const [title, write, what] of enclosedWays)
    it(`with ${title} is read, and what is too much is named`, () => {
      for (const at of seconds) {
        const explanation = explained(requestAt(at, write));
        assert.deepEqual(namesOf(explanation), ['signature_form observed']);
        assert.match(explanation.findings[0]!.what, what);
      }
    });

  it('in an alphabet of its own names the first character that is not Base64, and no key', () => {
    const explanation = explained(
      requestAt(created, (signature) => header(base64(signature).replaceAll('/', '~').replaceAll('+', '-'))),
    );
    assert.deepEqual(namesOf(explanation), ['signature_form observed']);
    assert.match(explanation.findings[0]!.what, /^The Signature header has `~` within its Base64\.$/);
  });

  it('that is a placeholder is named as one', () => {
    for (const placeholder of ['${signature}', '{{signature}}', '<signature>', '%s', '$SIG']) {
      const explanation = explained(requestAt(created, () => header(placeholder)));
      assert.deepEqual(namesOf(explanation), ['signature_printed observed']);
      assert.ok(explanation.findings[0]!.what.includes(placeholder));
    }
  });

  it('that is a value which a language prints without its content is named as printed, and no placeholder', () => {
    const printed = [
      '<memory at 0x7f3c5c0a1b80>',
      '<function sign at 0x7f3c5c0a1b80>',
      '<Future pending>',
      '<Future at 0x7f3c5c0a1b80 state=pending>',
      '<Buffer 12 34>',
      '<coroutine object sign at 0x7f3c5c0a1b80>',
      '<built-in method sign>',
      '<Signature object at 0x7f3c5c0a1b80>',
      "<class 'bytes'>",
    ];
    for (const value of printed) {
      const explanation = explained(requestAt(created, () => header(value)));
      assert.deepEqual(namesOf(explanation), ['signature_printed observed']);
      const { what } = explanation.findings[0]!;
      assert.match(what, /^The Signature header holds what a programming language prints for the value/);
      assert.ok(what.includes(value), what);
    }
  });

  it('whose bytes were changed does not hide what is wrong around it', () => {
    const inUtf8 = (signature: Buffer): string =>
      Buffer.from(signature.toString('latin1')).toString('base64');
    const lost = (signature: Buffer): string => Buffer.from(signature.toString()).toString('base64');
    const ways: readonly (readonly [write: (signature: Buffer) => string, around: RegExp, bytes: RegExp])[] =
      [
        [(signature) => `sig=${inUtf8(signature)}`, /no colons around the Base64/, /as a text in UTF-8/],
        [(signature) => `sig="${inUtf8(signature)}"`, /it is in quotes/, /as a text in UTF-8/],
        [(signature) => `"sig=:${inUtf8(signature)}:"`, /the whole value is in quotes/, /as a text in UTF-8/],
        [(signature) => `sig=:${inUtf8(signature)}`, /lacks the colon at its end/, /as a text in UTF-8/],
        [(signature) => `sig=${lost(signature)}`, /no colons around the Base64/, /the replacement character/],
      ];
    for (const [write, around, bytes] of ways) {
      const { findings } = explained(requestAt(created, write));
      assert.deepEqual(
        findings.map(({ code }) => code),
        ['signature_form', 'signature_form'],
      );
      assert.match(findings[0]!.what, around);
      assert.match(findings[1]!.what, bytes);
    }
  });

  it('is restored together with a mistake in the text that it signs', () => {
    const request = makeRequest({
      base: (base) => `${base}\n`,
      write: (signature) => sent(signature.toString('latin1')),
    });
    assert.deepEqual(namesOf(explained(request, { nowSeconds })), [
      'signature_form proven',
      'base_trailing_newline proven',
    ]);
  });

  const otherForms: readonly (readonly [
    title: string,
    write: (signature: Buffer) => string,
    form: string,
  ])[] = [
    ['hex', (signature) => header(signature.toString('hex')), 'signature_hex observed'],
    [
      'hex in upper case',
      (signature) => header(signature.toString('hex').toUpperCase()),
      'signature_hex observed',
    ],
    ['hex with colons', (signature) => signature.toString('hex').replace(/..(?=.)/g, '$&:'), ''],
    ['Base32', (signature) => header(base32(signature)), 'signature_form observed'],
    ['Base32 in lower case', (signature) => header(base32(signature).toLowerCase()), ''],
  ];
  for (const [title, write, form] of otherForms)
    it(`of a stranger in ${title} is not told as lost, but as one of an unknown key`, () => {
      const { privateKey } = strangerKey;
      const explanation = explained(makeRequest({ sign: (base) => sign('sha256', base, privateKey), write }));
      const names = namesOf(explanation);
      assert.equal(names.at(-1), 'key_unknown likely');
      if (form !== '') assert.deepEqual(names, [form, 'key_unknown likely']);
      for (const { what } of explanation.findings) assert.doesNotMatch(what, /bytes are lost/);
    });

  it('of a stranger is still told as one of an unknown key', () => {
    const request = makeRequest({ sign: (base) => sign('sha256', base, strangerKey.privateKey) });
    assert.deepEqual(namesOf(explained(request)), ['key_unknown likely']);
    assert.ok(candidates.length > 1);
  });
});

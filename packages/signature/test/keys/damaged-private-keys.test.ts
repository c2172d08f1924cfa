import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { holdsPrivateKey } from '../../src/keys/private-key-signs.ts';
import {
  base64,
  encryptedPem,
  jwkOf,
  legacyEncryptedPem,
  pair,
  pem,
  pkcs1PrivatePem,
  pkcs8Pem,
  rsaKeyValueXml,
  selfSignedCertificateDer,
  spkiPem,
  sshRsaLine,
} from './generated-keys.ts';

/* Private keys as mail programs, editors, browsers and people damage them, and public keys beside words about private ones. */

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const ed25519 = generateKeyPairSync('ed25519').privateKey;
const lines = (text: string): string => text.replace(/.{64}(?=.)/g, '$&\n');
const openSshBody = lines(base64(Buffer.concat([Buffer.from('openssh-key-v1\0'), randomBytes(900)])));

/** Keys with labels, of which any part must be seen that has one. */
const labelled: Readonly<Record<string, string>> = {
  'PKCS#8': pkcs8Pem,
  'PKCS#1': pkcs1PrivatePem,
  'encrypted PKCS#8': encryptedPem(),
  'legacy encrypted': legacyEncryptedPem,
  EC: ec.export({ type: 'sec1', format: 'pem' }),
  'EC as PKCS#8': ec.export({ type: 'pkcs8', format: 'pem' }),
  Ed25519: ed25519.export({ type: 'pkcs8', format: 'pem' }),
  OpenSSH: `-----BEGIN OPENSSH PRIVATE KEY-----\n${openSshBody}\n-----END OPENSSH PRIVATE KEY-----\n`,
};

const dashesAs =
  (dashes: string) =>
  (text: string): string =>
    text.replaceAll('-----', dashes);

const damages: Readonly<Record<string, (text: string) => string>> = {
  nothing: (text) => text,
  'em dashes': dashesAs('—————'),
  'one em dash': dashesAs('—'),
  'an en dash and a hyphen': dashesAs('––-'),
  'minus signs': dashesAs('−−−−−'),
  'three hyphens': dashesAs('---'),
  'one hyphen': dashesAs('-'),
  'decimal entities': dashesAs('&#45;&#45;&#45;&#45;&#45;'),
  'hexadecimal entities': dashesAs('&#x2D;&#x2d;&#x002D;&#x2D;&#x2D;'),
  'named entities': dashesAs('&dash;&hyphen;&mdash;&minus;&ndash;'),
  'entities of entities': dashesAs('&amp;#45;&amp;#45;'),
  'percent signs': dashesAs('%2D%2d%2D%2D%2D'),
  'percent signs twice': dashesAs('%252D%252D%252D%252D%252D'),
  'quoted-printable': dashesAs('=2D=2D=2D=2D=2D'),
  'escapes of JavaScript': dashesAs('\\x2d\\x2d\\u002d\\u002D\\u2014'),
  'no dashes': dashesAs(''),
  asterisks: dashesAs('*****'),
  'lines for dashes': dashesAs('\n'),
  'percent signs everywhere': (text) => encodeURIComponent(text).replaceAll('-', '%2D'),
  'entities everywhere': (text) => text.replace(/[^A-Za-z0-9]/g, (one) => `&#${one.charCodeAt(0)};`),
  'escaped lines': (text) => text.replaceAll('\n', '\\n'),
  'lines escaped twice': (text) => text.replaceAll('\n', '\\\\n'),
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
  'a quotation in a mail': (text) => text.replaceAll(/^/gm, '> '),
  'no line breaks': (text) => text.replaceAll('\n', ' '),
  'no white space': (text) => text.replaceAll(/\s/g, ''),
  'no spaces in the label': (text) => text.replaceAll(/(PRIVATE) (KEY)/g, '$1$2'),
  'underscores in the label': (text) => text.replaceAll(' PRIVATE KEY', '_PRIVATE_KEY'),
  'a JSON text': (text) => JSON.stringify({ key: text }),
  'a JSON text in a JSON text': (text) => JSON.stringify(JSON.stringify({ key: text })),
};

/** Halves with the label of one end, and without most of the material of Ed25519. */
const parts: Readonly<Record<string, (text: string) => string>> = {
  whole: (text) => text,
  'the upper half': (text) => text.slice(0, text.length / 2),
  'the lower half': (text) => text.slice(text.length / 2),
};

describe('a damaged private key is seen', () => {
  for (const [format, text] of Object.entries(labelled))
    for (const [part, partOf] of Object.entries(parts))
      test(`${format}, ${part}`, () => {
        const missed = Object.entries(damages).flatMap(([name, damaged]) =>
          [
            damaged(partOf(text)),
            `${spkiPem}\n${damaged(partOf(text))}`,
            `${damaged(partOf(text))}\n${spkiPem}`,
          ].every(holdsPrivateKey)
            ? []
            : [name],
        );
        assert.deepEqual(missed, []);
      });

  test('with its label in lower case and no dashes, by what is beside it', () => {
    for (const text of [pkcs8Pem, pkcs1PrivatePem, encryptedPem(), legacyEncryptedPem, labelled['OpenSSH']!])
      assert.ok(holdsPrivateKey(text.slice(text.length / 2).replace(/-----.*-----/, 'end private key')));
  });
});

const jwk = jwkOf(pair.privateKey);
const { d = '', n = '', ...others } = jwk;
const inLines = lines(d);
const printed = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/..(?!$)/g, '$&:')
    .replace(/.{45}/g, '$&\n    ');
const number = Buffer.from(d, 'base64url');
const prime = Buffer.from(others['p']!, 'base64url');
const xml = rsaKeyValueXml(pair.privateKey);
const wrapped = (start: string, end: string): string =>
  xml.replace(/<(D|P|Q|DP|DQ|InverseQ)>([^<]*)</g, `<$1>${start}$2${end}<`);

/** Keys whose parts have names. */
const named: Readonly<Record<string, string>> = {
  'a JWK with a line break in d': `{"kty":"RSA","d":"${d.slice(0, 5)}\n${d.slice(5)}"}`,
  'a JWK with an escaped line break in d': JSON.stringify({
    kty: 'RSA',
    n,
    d: `${d.slice(0, 5)}\n${d.slice(5)}`,
  }),
  'a JWK in a JSON text with a line break in d': JSON.stringify(
    JSON.stringify({ kty: 'RSA', d: `${d.slice(0, 5)}\n${d.slice(5)}` }),
  ),
  'a JWK with a leading space in d': JSON.stringify({ kty: 'RSA', n, e: 'AQAB', d: ` ${d}` }),
  'a JWK with leading line breaks in d': JSON.stringify({ kty: 'RSA', n, e: 'AQAB', d: `\r\n\t${d}` }),
  'a JWK with short lines in d': JSON.stringify({ kty: 'RSA', d: d.replace(/.{4}/g, '$& \n') }),
  'a JWK with a list': JSON.stringify({ kty: 'RSA', n, d: [d] }),
  'a JWK with a list of bytes': JSON.stringify({ kty: 'RSA', n, d: [...number] }),
  'a JWK with a number': `{"kty":"RSA","D": ${BigInt(`0x${number.toString('hex')}`)}}`,
  'a JWK with quotation entities': JSON.stringify({ kty: 'RSA', n, d }).replaceAll('"', '&quot;'),
  'a JWK in a URL': encodeURIComponent(JSON.stringify({ kty: 'RSA', n, d })),
  'the lower half of a JWK': JSON.stringify(jwk).slice(JSON.stringify(jwk).length / 2),
  'privateExponent in JSON': JSON.stringify({ modulus: n, privateExponent: number.toString('base64') }),
  'privateExponent in base64url': JSON.stringify({ privateExponent: d }),
  'privateExponent in hexadecimal': JSON.stringify({ privateExponent: number.toString('hex') }),
  private_exponent: `private_exponent = ${inLines}`,
  'private exponent: 0x': `modulus: 0x00c3\nprivate exponent: 0x${number.toString('hex')}`,
  'private exponent in decimal digits': `Private Exponent: ${BigInt(`0x${number.toString('hex')}`)}`,
  'private exponent with a line break': `private exponent:\n  ${number.toString('hex')}`,
  'a private key in base64url': JSON.stringify({
    privateKey: createHash('sha256').update('a key').digest('base64url'),
  }),
  'a private key with a leading line break': JSON.stringify({ privateKey: `\n${number.toString('base64')}` }),
  'a private key after white space': `private key:\n    ${number.toString('base64')}`,
  XML: xml,
  'XML with short parts': '<RSAKeyValue><Modulus>AQAB</Modulus><D>AQAB</D></RSAKeyValue>',
  'XML with CDATA': wrapped('<![CDATA[', ']]>'),
  'XML with indented CDATA': wrapped('\n      <![CDATA[\n', '\n]]>\n'),
  'XML with line breaks': wrapped('\n    ', '\n  '),
  'XML with a comment': wrapped('<!-- secret -->', ''),
  'XML with attributes': xml.replaceAll('<D>', '<D encoding="base64" >'),
  'XML with prefixes': xml.replaceAll(/<(\/?)(\w+)>/g, '<$1ds:$2>'),
  'XML with entities': xml.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'XML with entities of entities': xml.replaceAll('<', '&amp;lt;').replaceAll('>', '&amp;gt;'),
  'the lower half of XML': xml.slice(xml.length / 2),
  'the upper half of XML': xml.slice(0, xml.indexOf('<P>') + 100),
  'a printout': `RSA Private-Key: (2048 bit, 2 primes)\nmodulus:\n    00:b4`,
  'a printout of OpenSSL 3': `Private-Key: (2048 bit, 2 primes)\nmodulus:\n    ${printed(Buffer.from(n, 'base64url'))}`,
  'a printout from its exponent on': `publicExponent: 65537 (0x10001)\nprivateExponent:\n    ${printed(number)}`,
  'a printout from its primes on': `5e:11\nprime1:\n    ${printed(prime)}\nprime2:\n    ${printed(prime)}`,
  'a printout from its coefficient on': `coefficient:\n    ${printed(prime)}`,
  'a printout in CRLF': `exponent1:\r\n    ${printed(prime)}`,
  'a printout of EC': `priv:\n    ${printed(randomBytes(32))}\npub:\n    04:11`,
};

for (const [name, text] of Object.entries(named))
  test(`a private key with named parts is seen: ${name}`, () => {
    for (const all of [text, `${spkiPem}\n${text}`, `${text}\n${spkiPem}`])
      assert.ok(holdsPrivateKey(all), all);
  });

const publicJwk = jwkOf(pair.publicKey);
const publicXml = rsaKeyValueXml(pair.publicKey);
const certificate = pem('CERTIFICATE', selfSignedCertificateDer({ version: 2 }));
const publicPrintout = `Public-Key: (2048 bit)\nModulus:\n    ${printed(Buffer.from(n, 'base64url'))}\nExponent: 65537 (0x10001)`;
const sshLine = sshRsaLine(pair.publicKey);
const ssh2 = `---- BEGIN SSH2 PUBLIC KEY ----\nComment: "the private key is mine"\n${lines(sshLine.split(' ')[1]!)}\n---- END SSH2 PUBLIC KEY ----`;
const publicPkcs1 = pair.publicKey.export({ type: 'pkcs1', format: 'pem' });

const publicMaterial: Readonly<Record<string, string>> = {
  'a public key': spkiPem,
  'a public key without its label': spkiPem.replace(/-----.*-----/g, ''),
  'a public key of PKCS#1': publicPkcs1,
  'a certificate': certificate,
  'two certificates': `${certificate}${certificate}`,
  'a public key in JSON': JSON.stringify({ publicKey: spkiPem }),
  'a JWK': JSON.stringify(publicJwk),
  'a JWK in a JSON text': JSON.stringify(JSON.stringify(publicJwk)),
  'a JWK in YAML': Object.entries(publicJwk)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  'a JWK with a certificate': JSON.stringify({
    ...publicJwk,
    x5c: [base64(selfSignedCertificateDer({ version: 2 }))],
    'x5t#S256': randomBytes(32).toString('base64url'),
  }),
  XML: publicXml,
  'an SSH line': sshLine,
  'an SSH file': ssh2,
  'a printout': publicPrintout,
  'the printout of a certificate': `Certificate:\n    Data:\n        ${publicPrintout}\n    Signature Value:\n        ${printed(randomBytes(256))}\n${certificate}`,
  'a fingerprint': `SHA256:${randomBytes(32).toString('base64').replace('=', '')} ${sshLine}`,
  'public keys of EC and Ed25519': [ec, ed25519]
    .map((key) => createPublicKey(key).export({ type: 'spki', format: 'pem' }))
    .join(''),
};

const words: readonly string[] = [
  'my-private-key-2026',
  '# never share the private key',
  'Entry type: PrivateKeyEntry',
  'X509v3 Private Key Usage Period: \n    Not Before: Jan  1 00:00:00 2026 GMT',
  '# rotated with its privateKey: see the runbook of 2026-11-21',
  'private_key = /etc/keys/2026/shop.pem',
  'private_key: my-service-account-signing-key-prod-2026-rotated',
  'Bag Attributes\n    friendlyName: private key\n    localKeyID: 54 69 6D 65 20 31',
  'privateKey: null, "privateKey": ""',
  'The front-end private key ends in 2026, the back-end secret key begins then.',
  'In the end, private keys stay in the HSM. To begin, a private key is made there.',
  'BACKEND_PRIVATE_KEY is in the vault, and so is SECRET KEY 2',
  'Your private key has been saved in id_rsa',
  'The Private Key Of This Client Is Kept By The Shop In Its Own Vault Since 2026 And Is Never Copied To Any Other Place',
  'private exponent: not shown; privateExponent (secret)',
  '<D></D><P/><Q>  </Q>',
  'prime1: not shown, coefficient: 0',
];

describe('public material is no private key', () => {
  for (const [name, text] of Object.entries(publicMaterial))
    test(`${name}, beside words about private keys`, () => {
      const seen = words.filter((about) =>
        [`${about}\n${text}`, `${text}\n${about}`, `${text} ${about}`].some(holdsPrivateKey),
      );
      assert.deepEqual(seen, []);
    });
});

test('a text that is made to take long ends soon', () => {
  // Where the cost grows with the square of the length, this takes minutes instead of milliseconds.
  const length = 131_072;
  const units = [
    '"d":"',
    '"d" ',
    'd:\n',
    '"d":" \\n \\n',
    "'d' : [\\\\\\n",
    '<D>',
    '<RSAKeyValue><D ',
    '<D>          ',
    'private key = ',
    'private key:\\\\\\\\',
    'privatekey=aA1',
    'PRIVATE KEY MAAA',
    'PRIVATE KEY MIIB',
    'PRIVATE KEY AAAAB3NzaC1yc2E',
    'n:n:n:"',
    'BEGIN A B C ',
    'END PRIVATE ',
    '-----BEGIN',
    '-END-',
    '&#45;',
    '&amp;',
    '%25',
    '%2525252D',
    '&amp;amp;amp;#45;',
    'prime1:   ',
    '30308200',
    '30:82:',
    'LS0tLS1',
    ' ',
    '\n',
    '\\n',
    '-',
    '=',
    'A1b',
  ];
  for (const one of units)
    for (const start of ['', 'PRIVATE KEY <Modulus>'])
      holdsPrivateKey(start + one.repeat(Math.ceil(length / one.length)));
});

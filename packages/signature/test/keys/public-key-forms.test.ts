import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { writeDer } from '../../src/keys/der.ts';
import { fingerprintFromDigest, keyFingerprint } from '../../src/keys/fingerprint.ts';
import { readPublicKey, type PublicKeyFormat } from '../../src/keys/public-key.ts';
import {
  base64,
  jwkOf,
  pair,
  pem,
  rsaKeyValueXml,
  selfSignedCertificateDer,
  spkiDer,
  spkiPem,
  sshRsaLine,
} from './generated-keys.ts';
import { assertTellsNothing } from './messages.ts';

const pkcs1Der = pair.publicKey.export({ type: 'pkcs1', format: 'der' });
const jwk = jwkOf(pair.publicKey);
const certificateDer = selfSignedCertificateDer({ version: 2, extra: writeDer(0xa3, writeDer(0x30)) });
const line = sshRsaLine(pair.publicKey);
const ecPem = generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey.export({
  type: 'spki',
  format: 'pem',
});
const pssPem = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey.export({
  type: 'spki',
  format: 'pem',
});

/** AlgorithmIdentifier without the NULL: shorter by two bytes, and the outer lengths with it. */
const spkiWithoutNull = Buffer.from(
  spkiDer.toString('hex').replace('30820122300d', '30820120300b').replace('0101010500', '010101'),
  'hex',
);

const refused: readonly [name: string, text: string, code: string][] = [
  ['nothing', '', 'key_missing'],
  ['a byte order mark alone', '\uFEFF \n', 'key_missing'],
  ['too much text', 'A'.repeat(65_537), 'key_malformed'],
  ['text before the PEM block', `Here is my key:\n${spkiPem}`, 'key_malformed'],
  ['text after the PEM block', `${spkiPem}AAAA`, 'key_malformed'],
  ['a PEM block without its END line', spkiPem.replace(/-----END.*/, ''), 'key_malformed'],
  ['a PEM block without its BEGIN line', spkiPem.replace(/-----BEGIN.*/, ''), 'key_malformed'],
  [
    'a PEM block with a header',
    spkiPem.replace('KEY-----\n', 'KEY-----\nComment: mine\n\n'),
    'key_malformed',
  ],
  ['escaped line ends', JSON.stringify(spkiPem).slice(1, -1), 'key_malformed'],
  ['an empty PEM block', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----', 'key_malformed'],
  ['a no-break space in the Base64', spkiPem.replace('MIIB', 'MI\u00A0IB'), 'key_malformed'],
  ['an unknown label', pem('KEY', spkiDer), 'key_malformed'],
  ['PKCS#1 labelled as SubjectPublicKeyInfo', pem('PUBLIC KEY', pkcs1Der), 'key_malformed'],
  ['a SubjectPublicKeyInfo labelled as PKCS#1', pem('RSA PUBLIC KEY', spkiDer), 'key_malformed'],
  ['a byte after the DER', pem('PUBLIC KEY', Buffer.concat([spkiDer, Buffer.of(0)])), 'key_malformed'],
  ['rsaEncryption without NULL', pem('PUBLIC KEY', spkiWithoutNull), 'key_malformed'],
  ['a certificate request', pem('CERTIFICATE REQUEST', certificateDer), 'key_malformed'],
  [
    'a certificate with extensions out of order',
    pem('CERTIFICATE', selfSignedCertificateDer({ version: 2, extra: writeDer(0xa4) })),
    'key_malformed',
  ],
  ['a certificate, cut off', pem('CERTIFICATE', certificateDer.subarray(0, 400)), 'key_malformed'],
  ['two PEM blocks', spkiPem + spkiPem, 'several_keys'],
  ['two PEM blocks, the second one cut', spkiPem + spkiPem.slice(0, 200), 'several_keys'],
  ['an EC key', ecPem, 'not_rsa'],
  ['an EC key as bare Base64', ecPem.replace(/-----.*-----/g, ''), 'not_rsa'],
  ['a key for RSA-PSS alone', pssPem, 'pss_only'],
  ['Base64 with its last character missing', base64(pkcs1Der).slice(0, -1), 'key_malformed'],
  ['base64url', spkiDer.toString('base64url').replace(/[A-Za-z0-9]$/, '_'), 'key_malformed'],
  ['Base64 of other bytes', base64(Buffer.from('not a key at all, really')), 'key_malformed'],
  ['hexadecimal', spkiDer.toString('hex'), 'key_malformed'],
  ['Base64 of a PEM text', base64(Buffer.from(spkiPem)), 'key_malformed'],
  ['a printout', 'Public-Key: (2048 bit)\nModulus:\n    00:b4', 'key_malformed'],
  ['XML', rsaKeyValueXml(pair.publicKey), 'key_malformed'],
  [
    'an SSH2 public key file',
    '---- BEGIN SSH2 PUBLIC KEY ----\nAAAAB3NzaC1yc2E=\n---- END SSH2 PUBLIC KEY ----',
    'key_malformed',
  ],
  ['an ssh-dss line', 'ssh-dss AAAAB3NzaC1kc3MAAACBAIGJ user@host', 'not_rsa'],
  ['an SSH certificate', line.replace('ssh-rsa', 'ssh-rsa-cert-v01@openssh.com'), 'not_rsa'],
  ['two ssh-rsa lines', `${line}\n${line}`, 'several_keys'],
  ['an ssh-rsa line in two parts', line.replace('AAAAB3', 'AAAAB3\n'), 'key_malformed'],
  ['an ssh-rsa line, cut off', line.slice(0, 201), 'key_malformed'],
  [
    'an ssh-rsa line with a key behind it as a comment',
    sshRsaLine(pair.publicKey, 'x'.repeat(129)),
    'key_malformed',
  ],
  [
    'an ssh-rsa line that holds another type',
    line.replace('AAAAB3NzaC1yc2E', 'AAAAB3NzaC1kc2E'),
    'key_malformed',
  ],
  ['JSON that is not an object', '["RSA"]', 'key_malformed'],
  ['JSON that is cut off', JSON.stringify(jwk).slice(0, -1), 'key_malformed'],
  ['JSON without kty', JSON.stringify({ n: jwk['n'], e: jwk['e'] }), 'key_malformed'],
  ['a JWK Set of one', JSON.stringify({ keys: [jwk] }), 'key_malformed'],
  ['a JWK Set of two', JSON.stringify({ keys: [jwk, jwk] }), 'several_keys'],
  ['a JWK for another curve', JSON.stringify({ kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA' }), 'not_rsa'],
  ['a JWK for RS512', JSON.stringify({ ...jwk, alg: 'RS512' }), 'not_rsa'],
  ['a JWK for encryption by algorithm', JSON.stringify({ ...jwk, alg: 'RSA-OAEP-256' }), 'not_rsa'],
  ['a JWK for PS256', JSON.stringify({ ...jwk, alg: 'PS256' }), 'pss_only'],
  ['a JWK for encryption by use', JSON.stringify({ ...jwk, use: 'enc' }), 'key_malformed'],
  ['a JWK for other operations', JSON.stringify({ ...jwk, key_ops: ['encrypt'] }), 'key_malformed'],
  ['a JWK without n', JSON.stringify({ kty: 'RSA', e: 'AQAB' }), 'key_malformed'],
  ['a JWK with a number for e', JSON.stringify({ ...jwk, e: 65537 }), 'key_malformed'],
  ['a JWK with a leading zero', JSON.stringify({ ...jwk, e: 'AAEAAQ' }), 'key_malformed'],
  ['a JWK with padding', JSON.stringify({ ...jwk, n: `${jwk['n']}==` }), 'key_malformed'],
  ['a JWK with Base64', JSON.stringify({ ...jwk, n: `${jwk['n']?.slice(0, -3)}+/A` }), 'key_malformed'],
  ['a JWK with another exponent', JSON.stringify({ ...jwk, e: 'Aw' }), 'exponent_not_allowed'],
  [
    'a JWK with a member twice',
    JSON.stringify({ ...jwk, '\\u006e': jwk['n'] }).replace('\\\\u', '\\u'),
    'key_malformed',
  ],
  ['a JWK with a long unknown member', JSON.stringify({ ...jwk, x: jwk['n'] }), 'key_malformed'],
];

/** Texts around a key, and the code of their rejection. */
const named: readonly [name: string, text: string, names: RegExp][] = [
  [
    'az keyvault key show',
    JSON.stringify({ attributes: { enabled: true }, key: { ...jwk, kty: 'RSA-HSM' } }),
    /member key\./,
  ],
  [
    'aws kms get-public-key',
    JSON.stringify({ KeyId: 'a', PublicKey: base64(spkiDer) }),
    /member PublicKey\./,
  ],
  [
    'gcloud kms keys versions get-public-key',
    JSON.stringify({ algorithm: 'RSA', pem: spkiPem }),
    /member pem /,
  ],
  [
    'vault read transit/keys',
    JSON.stringify({ data: { keys: { 1: { public_key: spkiPem } }, type: 'rsa-2048' } }),
    /member data\.keys\.1\.public_key /,
  ],
  ['another tool', JSON.stringify({ shopKeyMaterialOfToday: { ...jwk } }), /JSON around a key/],
  ['a JWK in lower case', JSON.stringify({ ...jwk, kty: 'rsa' }), /Write RSA/],
  ['a file in UTF-16', `\uFFFD\uFFFD${spkiPem.replace(/[^]/g, '$&\0')}`, /UTF-16/],
  ['a file in UTF-16, the other byte first', spkiPem.replace(/[^]/g, '\0$&'), /UTF-16/],
  ['Base64 in a file in UTF-16', base64(spkiDer).replace(/[^]/g, '$&\0'), /UTF-16/],
  ['the Base64 of a PEM file', base64(Buffer.from(spkiPem)), /Base64 of a key file/],
  ['the Base64 of a JWK', base64(Buffer.from(JSON.stringify(jwk))), /Base64 of a key file/],
  ['the Base64 of an SSH line', base64(Buffer.from(line)), /Base64 of a key file/],
  ['quotation marks and \\n', JSON.stringify(spkiPem), /quotation marks .*\\n/],
  ['single quotation marks', `'${spkiPem}'`, /quotation marks/],
  ['curly quotation marks', `\u201C${spkiPem}\u201D`, /quotation marks/],
  ['quotation marks around Base64', `"${base64(spkiDer)}"`, /quotation marks/],
  ['\\n', JSON.stringify(spkiPem).slice(1, -1), /backslash and an n/],
  ['\\r\\n', JSON.stringify(spkiPem.replaceAll('\n', '\r\n')).slice(1, -1), /backslash and an n/],
  ['\\n twice escaped', JSON.stringify(JSON.stringify(spkiPem)).slice(3, -3), /backslash and an n/],
];

for (const [name, text, names] of named) {
  test(`named for what it is: ${name}`, () => {
    const reading = readPublicKey(text);
    assert.ok(!reading.ok);
    assert.equal(reading.code, 'key_malformed');
    assert.match(reading.message, names);
    assertTellsNothing(reading.message, text);
  });
}

for (const [name, text, code] of refused) {
  test(`refused as ${code}: ${name}`, () => {
    const reading = readPublicKey(text);
    assert.ok(!reading.ok);
    assert.equal(reading.code, code);
    assert.match(reading.message, /^[A-Z].{20,400}$/);
    assertTellsNothing(reading.message, text);
  });
}

const accepted: readonly [name: string, text: string, format: PublicKeyFormat][] = [
  ['PEM', spkiPem, 'spki'],
  ['PEM with CR alone', spkiPem.replaceAll('\n', '\r'), 'spki'],
  ['PEM with tabs and blank lines', spkiPem.replaceAll('\n', '\n\n\t'), 'spki'],
  ['PEM on one line', spkiPem.replaceAll('\n', ' '), 'spki'],
  ['PEM without any line end', spkiPem.replaceAll('\n', ''), 'spki'],
  ['bare Base64', base64(spkiDer), 'spki'],
  ['bare Base64 in lines, with white space around it', ` ${spkiPem.replace(/-----.*-----/g, '')}\t`, 'spki'],
  ['PKCS#1 PEM', pair.publicKey.export({ type: 'pkcs1', format: 'pem' }), 'pkcs1'],
  ['bare Base64 of PKCS#1', base64(pkcs1Der), 'pkcs1'],
  ['a certificate', pem('CERTIFICATE', certificateDer), 'certificate'],
  [
    'a certificate without extensions',
    pem('CERTIFICATE', selfSignedCertificateDer({ version: 2 })),
    'certificate',
  ],
  ['a certificate of version 1', pem('X509 CERTIFICATE', selfSignedCertificateDer()), 'certificate'],
  ['bare Base64 of a certificate', base64(certificateDer), 'certificate'],
  ['a JWK', JSON.stringify(jwk), 'jwk'],
  [
    'a JWK with all it may say',
    ` ${JSON.stringify({ ...jwk, alg: 'RS256', use: 'sig', key_ops: ['verify'], kid: '1', ext: true, iat: 1 }, null, 2)}\n`,
    'jwk',
  ],
  [
    'a JWK of a key in an HSM of Azure',
    JSON.stringify({ ...jwk, kty: 'RSA-HSM', key_ops: ['sign', 'verify'] }),
    'jwk',
  ],
  ['an ssh-rsa line', line, 'ssh-rsa'],
  ['an ssh-rsa line without a comment', line.split(' ').slice(0, 2).join(' '), 'ssh-rsa'],
];

for (const [name, text, format] of accepted) {
  test(`read as ${format}: ${name}`, () => {
    const reading = readPublicKey(text);
    assert.ok(reading.ok);
    const { key } = reading;
    assert.equal(key.format, format);
    assert.deepEqual(Buffer.from(key.spkiDer), spkiDer);
    assert.equal(key.spkiPem, spkiPem);
    assert.equal(key.bits, 2048);
    if (key.kind !== 'rsa') throw new Error('It is of another kind.');
    assert.equal(key.modulusBits, 2048);
    assert.equal(key.exponent, 65537);
    assert.equal(Buffer.from(key.modulus).toString('base64url'), jwk['n']);
    assert.ok(createPublicKey(key.spkiPem).equals(pair.publicKey));
  });
}

test('the certificates of this test are certificates', () => {
  assert.ok(new X509Certificate(certificateDer).publicKey.equals(pair.publicKey));
});

test('a fingerprint is SHA256: and the unpadded Base64 of SHA-256 over the SubjectPublicKeyInfo', () => {
  const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
  const expected = `SHA256:${createHash('sha256').update(spkiDer).digest('base64').replace(/=$/, '')}`;
  assert.equal(keyFingerprint(spkiDer, sha256), expected);
  assert.equal(fingerprintFromDigest(sha256(spkiDer)), expected);
  assert.match(expected, /^SHA256:[A-Za-z0-9+/]{43}$/);
});

test('neither the longest text nor the worst one takes long', () => {
  for (const part of ['M', 'MA', 'MIIEvQIB', '-----BEGIN A', '"d" ', '{', '[', ' \t', '30', '<P ', 'ssh-']) {
    const startedMs = performance.now();
    assert.ok(!readPublicKey(part.repeat(65_536 / part.length)).ok);
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs < 20_000, `${part} took ${tookMs} ms`);
  }
});

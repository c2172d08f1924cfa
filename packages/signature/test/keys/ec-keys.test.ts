import assert from 'node:assert/strict';
import { createECDH, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { decodeCurvePoint, p256, p384 } from '../../src/keys/ec/prime-curve.ts';
import * as node from '../../src/node.ts';
import * as web from '../../src/index.ts';

const curves = [
  { name: 'P-256', opensslName: 'prime256v1', ssh: 'nistp256', algorithm: 'ecdsa-p256-sha256', curve: p256 },
  { name: 'P-384', opensslName: 'secp384r1', ssh: 'nistp384', algorithm: 'ecdsa-p384-sha384', curve: p384 },
] as const;

/** RFC 4251 section 5, `string`. */
function sshString(bytes: Uint8Array | string): Buffer {
  const content = Buffer.from(bytes as Uint8Array);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' });
const codeOf = (text: string, policy: node.PublicKeyPolicy = {}): string => {
  const reading = node.readPublicKey(text, policy);
  return reading.ok ? 'ok' : reading.code;
};

for (const { name, opensslName, ssh, algorithm, curve } of curves) {
  const pair = generateKeyPairSync('ec', { namedCurve: name });
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' });
  const point = spki.subarray(-2 * curve.bytes - 1);
  const prefix = spki.subarray(0, spki.length - point.length);
  const jwk = pair.publicKey.export({ format: 'jwk' });

  /** A SubjectPublicKeyInfo with another point, whose length may differ. */
  function encoded(other: Uint8Array): string {
    const difference = other.length - point.length;
    const bytes = Buffer.concat([prefix, other]);
    // SEQUENCE, and the BIT STRING at the end of the prefix: both lengths are in the last byte of their header.
    for (const place of [prefix.length - 2, prefix[1]! > 0x80 ? 2 : 1]) bytes[place]! += difference;
    return bytes.toString('base64');
  }

  describe(`a public key of ${name}`, () => {
    test('is the same key in each form', () => {
      const compressed = Buffer.from(
        createECDH(opensslName) &&
          Buffer.concat([Buffer.of(2 + (point.at(-1)! & 1)), point.subarray(1, 1 + curve.bytes)]),
      );
      const blob = Buffer.concat([sshString(`ecdsa-sha2-${ssh}`), sshString(ssh), sshString(point)]);
      const forms = {
        PEM: pemOf(pair.publicKey),
        'PEM of another label': pemOf(pair.publicKey).replaceAll('PUBLIC KEY', 'EC PUBLIC KEY'),
        'bare Base64': spki.toString('base64'),
        JWK: JSON.stringify(jwk),
        'JWK with alg': JSON.stringify({ ...jwk, alg: name === 'P-256' ? 'ES256' : 'ES384', use: 'sig' }),
        'a line of OpenSSH': `ecdsa-sha2-${ssh} ${blob.toString('base64')} me@here`,
        'a compressed point': prefix.length < 24 ? spki.toString('base64') : encoded(compressed),
      };
      for (const [form, text] of Object.entries(forms)) {
        const reading = node.readPublicKey(text);
        assert.ok(reading.ok, `${form}: ${reading.ok ? '' : reading.message}`);
        assert.equal(reading.key.spkiPem, pemOf(pair.publicKey), form);
        assert.equal(reading.key.algorithm, algorithm);
        assert.equal(node.describeKey(reading.key), `ECDSA ${name}, ${8 * curve.bytes} bits`);
      }
    });

    const changed = Buffer.from(point);
    changed[changed.length - 1]! ^= 1;
    const greater = Buffer.concat([Buffer.of(4), Buffer.alloc(2 * curve.bytes, 0xff)]);
    const generator = createECDH(opensslName);
    generator.setPrivateKey(Buffer.concat([Buffer.alloc(curve.bytes - 1), Buffer.of(1)]));
    const malformed: Readonly<Record<string, Uint8Array>> = {
      'that is not on the curve': changed,
      'with coordinates that are not below the prime': greater,
      'of zeros': Buffer.concat([Buffer.of(4), Buffer.alloc(2 * curve.bytes)]),
      'in the hybrid form': Buffer.concat([Buffer.of(6 + (point.at(-1)! & 1)), point.subarray(1)]),
      'that is the generator, whose private number is 1': generator.getPublicKey(),
    };
    for (const [what, bytes] of Object.entries(malformed))
      test(`is no point ${what}`, () => assert.equal(codeOf(encoded(bytes)), 'key_malformed'));

    test('in a registry verifies nothing if everyone knows its private number', async () => {
      const neutral = encoded(Uint8Array.of(0));
      for (const text of [neutral, encoded(generator.getPublicKey()), encoded(changed)]) {
        const stored = { spkiDer: new Uint8Array(Buffer.from(text, 'base64')), algorithm };
        assert.throws(() => node.verificationKey(stored), /Anyone can sign/);
        await assert.rejects(web.verificationKey(stored), /Anyone can sign/);
      }
    });

    test('is not one with its private number in another member of the JWK, or in the comment of a line', () => {
      const { d = '' } = pair.privateKey.export({ format: 'jwk' });
      for (const member of ['priv', 'D1', 'n', 'e'])
        assert.notEqual(codeOf(JSON.stringify({ ...jwk, [member]: d })), 'ok', member);
      assert.equal(codeOf(JSON.stringify({ ...jwk, kid: 'my private key' })), 'ok');
      const blob = Buffer.concat([sshString(`ecdsa-sha2-${ssh}`), sshString(ssh), sshString(point)]);
      const line = `ecdsa-sha2-${ssh} ${blob.toString('base64')}`;
      for (const comment of [d, Buffer.from(d, 'base64url').toString('hex')])
        assert.notEqual(codeOf(`${line} ${comment}`), 'ok');
      assert.equal(codeOf(`${line} ada@build-server-17.internal.example`), 'ok');
    });

    test('is named as one without a crv, or with one in another case', () => {
      for (const crv of [undefined, name.toLowerCase()])
        assert.equal(codeOf(JSON.stringify({ ...jwk, crv })), 'key_malformed');
    });

    test('is no neutral point', () => assert.equal(decodeCurvePoint(curve, Uint8Array.of(0)), undefined));

    test('is no JWK with a shortened coordinate, of another algorithm, or with a private half', () => {
      assert.equal(codeOf(JSON.stringify({ ...jwk, x: jwk.x!.slice(0, -4) })), 'key_malformed');
      assert.equal(codeOf(JSON.stringify({ ...jwk, alg: 'ECDH-ES' })), 'not_rsa');
      assert.equal(codeOf(JSON.stringify({ ...jwk, y: undefined })), 'key_malformed');
      assert.equal(codeOf(JSON.stringify(pair.privateKey.export({ format: 'jwk' }))), 'private_key');
    });
  });

  describe(`a private key of ${name}`, () => {
    const texts = {
      'PKCS#8': pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      'its own form': pair.privateKey.export({ type: 'sec1', format: 'pem' }),
      'its own form as bare Base64': pair.privateKey
        .export({ type: 'sec1', format: 'der' })
        .toString('base64'),
    };
    for (const [form, privateKey] of Object.entries(texts)) {
      test(`signs on both platforms: ${form}`, async () => {
        const request = { method: 'POST', url: 'https://api.example.com/v1/orders', body: '{}' };
        const signers = [
          node.createSigner({ keyid: 'shop', privateKey }),
          node.createAsyncSigner({ keyid: 'shop', privateKey }),
          await web.createSigner({ keyid: 'shop', privateKey }),
        ];
        const nodeKey = node.createVerificationKey(pemOf(pair.publicKey));
        const webKey = await web.createVerificationKey(pemOf(pair.publicKey));
        for (const signer of signers) {
          const { headers, signatureBase: base } = await signer.sign(request);
          assert.match(headers['Signature-Input'], new RegExp(`;alg="${algorithm}"$`));
          const signature = new Uint8Array(Buffer.from(headers.Signature.slice(5, -1), 'base64'));
          assert.equal(signature.length, 2 * curve.bytes);
          const signed = { keyid: 'shop', alg: algorithm, base, signature };
          assert.equal(node.findVerifyingKey([nodeKey], signed), 0);
          assert.equal(await web.findVerifyingKey([webKey], signed), 0);
          const other = algorithm === 'ecdsa-p256-sha256' ? 'ecdsa-p384-sha384' : 'ecdsa-p256-sha256';
          for (const alg of [other, 'ed25519', 'rsa-v1_5-sha256', 'ES256'])
            assert.equal(node.findVerifyingKey([nodeKey], { ...signed, alg }), -1);
        }
      });
    }

    test('is read after the name of its curve, as openssl ecparam writes it', () => {
      const curveName = Buffer.from(prefix.subarray(prefix.length - (name === 'P-256' ? 13 : 10), -3));
      const parameters = `-----BEGIN EC PARAMETERS-----\n${curveName.toString('base64')}\n-----END EC PARAMETERS-----\n`;
      const reading = node.readPlainPrivateKey(parameters + texts['its own form']);
      assert.ok(reading.ok, reading.ok ? '' : reading.message);
      assert.equal(reading.algorithm, algorithm);
    });

    test('must not be used by a function that returns DER', async () => {
      const inDer = Object.assign(
        (base: Uint8Array) => sign(name === 'P-256' ? 'sha256' : 'sha384', base, pair.privateKey),
        { algorithm: () => algorithm },
      );
      const request = { method: 'GET', url: 'https://api.example.com/v1/orders' };
      const options = { keyid: 'shop', privateKey: inDer };
      assert.throws(() => node.createSigner(options).sign(request), /r and s, not DER/);
      await assert.rejects((await web.createSigner(options)).sign(request), /r and s, not DER/);
    });

    test('is damaged without a number below the order', () => {
      const der = pair.privateKey.export({ type: 'pkcs8', format: 'der' });
      const number = Buffer.from(pair.privateKey.export({ format: 'jwk' }).d!, 'base64url');
      const place = der.indexOf(number);
      for (const filling of [0, 0xff]) {
        const bytes = Buffer.from(der).fill(filling, place, place + number.length);
        const reading = node.readPlainPrivateKey(bytes.toString('base64'));
        assert.equal(reading.ok ? 'ok' : reading.code, 'key_malformed');
      }
    });
  });
}

describe('a key of another curve', () => {
  for (const namedCurve of ['P-521', 'secp256k1', 'brainpoolP256r1'])
    test(`is not supported: ${namedCurve}`, () => {
      const pair = generateKeyPairSync('ec', { namedCurve });
      assert.equal(codeOf(pemOf(pair.publicKey)), 'not_rsa');
      for (const type of ['pkcs8', 'sec1'] as const) {
        const reading = node.readPlainPrivateKey(pair.privateKey.export({ type, format: 'pem' }));
        assert.equal(reading.ok ? 'ok' : reading.code, 'not_rsa');
      }
    });

  test('is not supported, with parameters in place of a name', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' });
    assert.equal(codeOf(pemOf(publicKey)), 'not_rsa');
  });

  test('is named where a JWK has it', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' });
    const reading = node.readPublicKey(JSON.stringify(publicKey.export({ format: 'jwk' })));
    assert.ok(!reading.ok);
    assert.match(reading.message, /a curve other than P-256 or P-384/);
  });
});

test('the test key of RFC 9421 for P-256 is not a key, unless allowed', () => {
  const jwk = JSON.stringify({
    kty: 'EC',
    crv: 'P-256',
    x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
    y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
  });
  assert.equal(codeOf(jwk), 'published_test_key');
  assert.equal(codeOf(jwk, { allowPublishedTestKeys: true }), 'ok');
});

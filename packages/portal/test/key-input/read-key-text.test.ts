import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { keyFingerprint, readPublicKey } from '@countersign/signature/node';
import { privateKeyReading } from '../../src/components/key-input/private-key-reading.ts';
import { readKeyText } from '../../src/components/key-input/read-key-text.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-521' });
const edwards = generateKeyPairSync('ed448');
const dsa = generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 });

const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' });
const pkcs8 = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' });

describe('a private key', () => {
  const encrypted = { cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
  const cases: readonly (readonly [form: string, text: string, bits: number | undefined])[] = [
    ['pkcs8', pkcs8, 2048],
    ['pkcs8', pkcs8.replaceAll(/-----[^-]+-----|\n/g, ''), 2048],
    ['pkcs1', rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }), 2048],
    ['encrypted', rsa.privateKey.export({ type: 'pkcs8', format: 'pem', ...encrypted }), undefined],
    ['encrypted', rsa.privateKey.export({ type: 'pkcs1', format: 'pem', ...encrypted }), undefined],
    ['ec', ec.privateKey.export({ type: 'sec1', format: 'pem' }), undefined],
    ['jwk', JSON.stringify(rsa.privateKey.export({ format: 'jwk' })), undefined],
    [
      'openssh',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----',
      undefined,
    ],
    ['putty', 'PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none', undefined],
    ['pgp', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYB', undefined],
    ['xml', '<RSAKeyValue><Modulus>AQAB</Modulus><D>AQAB</D></RSAKeyValue>', undefined],
    ['key-store', 'MIIJ0QIBAzCCCZcGCSqGSIb3DQEHAaCCCYgEggmEMIIJgDCC', undefined],
    ['pkcs1', `${publicPem}-----BEGIN RSA PRIVATE KEY-----\nMIIE`, undefined],
  ];
  for (const [form, text, bits] of cases) {
    it(`is recognized at once: ${form}, ${text.slice(0, 32).replaceAll('\n', ' ')}`, async () => {
      const expected = { kind: 'private-key', form, bits };
      assert.deepEqual(privateKeyReading(text), expected);
      assert.deepEqual(await readKeyText(text), expected);
    });
  }

  it('leaves nothing of its text in what is kept', async () => {
    const kept = JSON.stringify(await readKeyText(pkcs8));
    assert.ok(kept.length < 100, kept);
  });

  it('is not seen where there is none', () => {
    for (const text of [publicPem, '', 'ssh-ed25519 AAAA', 'private.pem']) {
      assert.equal(privateKeyReading(text), undefined, text);
    }
  });
});

describe('a text that is no public key that can be used', () => {
  const spki = (pair: { publicKey: typeof rsa.publicKey }): string =>
    pair.publicKey.export({ type: 'spki', format: 'pem' });
  const cases: readonly (readonly [problem: string, text: string])[] = [
    ['modulus_too_small', spki(small)],
    ['pss_only', spki(pss)],
    ['elliptic_curve', spki(ec)],
    ['elliptic_curve', JSON.stringify(ec.publicKey.export({ format: 'jwk' }))],
    ['elliptic_curve', 'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY= ada@host'],
    ['edwards_curve', spki(edwards)],
    ['edwards_curve', 'ssh-ed448 AAAACXNzaC1lZDQ0OAAAADmJ ada@host'],
    ['dsa', spki(dsa)],
    ['security_token', 'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t'],
    ['several_keys', publicPem + publicPem],
    ['cut_off', publicPem.slice(0, 200)],
    ['cut_off', publicPem.slice(200)],
    ['key_malformed', publicPem.replace('MII', 'MIJ')],
    ['fingerprint', 'SHA256:u8h9LPJc9PvXKD0nep55wpw2y45iG94xFonEeTWQkKQ'],
    ['client_id', 'client_01m7yarb8jxx1sbefmk0yerqhg'],
    ['file_name', '/home/ada/keys/public.pem'],
    ['certificate_request', '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----'],
    ['pgp_key', '-----BEGIN PGP PUBLIC KEY BLOCK-----\nmQEN\n-----END PGP PUBLIC KEY BLOCK-----'],
    ['other_format', '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----'],
    ['other_format', '<RSAKeyValue><Modulus>3Ax0</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>'],
    ['other_format', 'RSA Public-Key: (2048 bit)\nModulus:\n    00:dc:0c:74'],
    ['other_format', 'Public-Key: (2048 bit)\nModulus:\n    00:dc:0c:74'],
    ['other_format', 'Modulus=DC0C74'],
    ['key_malformed', 'hello'],
  ];
  for (const [problem, text] of cases) {
    it(`is called what it is: ${problem}, ${text.slice(0, 32).replaceAll('\n', ' ')}`, async () => {
      const reading = await readKeyText(text);
      assert.equal(reading.kind, 'refused');
      assert.equal(reading.kind === 'refused' && reading.problem, problem);
      assert.ok(reading.kind === 'refused' && reading.advice.length > 10);
    });
  }

  it('is nothing while it is empty', async () => {
    assert.deepEqual(await readKeyText(' \n'), { kind: 'none' });
  });
});

describe('a public key', () => {
  const forms: readonly (readonly [format: string, text: string])[] = [
    ['spki', publicPem],
    ['spki', publicPem.replaceAll(/-----[^-]+-----|\n/g, '')],
    ['pkcs1', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' })],
    ['jwk', JSON.stringify(rsa.publicKey.export({ format: 'jwk' }))],
  ];
  for (const [format, text] of forms) {
    it(`is accepted as ${format}, and sent as nothing but its numbers`, async () => {
      const known = readPublicKey(publicPem);
      assert.ok(known.ok);
      assert.deepEqual(await readKeyText(text), {
        kind: 'accepted',
        key: {
          publicKeyPem: publicPem,
          fingerprint: keyFingerprint(known.key),
          description: 'RSA, 2,048 bits',
          kind: 'rsa',
          claimed: undefined,
          format,
        },
      });
    });
  }

  it('that says that it is for RSASSA-PSS is accepted where a profile signs with it', async () => {
    const jwk = { ...rsa.publicKey.export({ format: 'jwk' }), alg: 'PS256' };
    const reading = await readKeyText(JSON.stringify(jwk), false);
    assert.ok(reading.kind === 'accepted');
    assert.deepEqual(reading.key.claimed, ['PS256']);
    assert.equal(reading.key.publicKeyPem, publicPem);
  });
});

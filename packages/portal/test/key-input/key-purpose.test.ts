import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyChoicesFor } from '../../src/components/key-input/generate-key-pair.ts';
import { keyPurpose, toldAlgorithm } from '../../src/components/key-input/key-purpose.ts';

const rsa = {
  publicKeyPem: '',
  fingerprint: undefined,
  description: '',
  kind: 'rsa',
  claimed: undefined,
  format: 'spki',
} as const;
const closed = ['rsa-v1_5-sha256', 'ed25519', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384'];

describe('what a key is for', () => {
  it('is the usual algorithm by the closed profile, and the service is told nothing', () => {
    const { possible, algorithm } = keyPurpose(rsa, closed, 'PS256');
    assert.deepEqual([possible, algorithm], [['rsa-v1_5-sha256'], 'rsa-v1_5-sha256']);
    assert.equal(toldAlgorithm(rsa, algorithm), undefined);
  });

  it('is a choice if the profile leaves one, and what the key says if it says it', () => {
    const allowed = ['ed25519', 'rsa-pss-sha512', 'PS256'];
    const first = keyPurpose(rsa, allowed, undefined);
    assert.deepEqual([first.possible, first.algorithm], [['rsa-pss-sha512', 'PS256'], 'rsa-pss-sha512']);
    assert.equal(keyPurpose(rsa, allowed, 'PS256').algorithm, 'PS256');
    const named = { ...rsa, claimed: ['PS256'] } as const;
    assert.deepEqual(keyPurpose(named, allowed, 'rsa-pss-sha512'), {
      possible: ['PS256'],
      algorithm: 'PS256',
    });
    assert.equal(toldAlgorithm(rsa, 'PS256'), 'PS256');
  });

  it('is nothing if the profile does not sign with it', () => {
    assert.deepEqual(keyPurpose(rsa, ['ed25519'], undefined), { possible: [], algorithm: undefined });
    assert.equal(keyPurpose({ ...rsa, claimed: ['PS256'] }, closed, undefined).algorithm, undefined);
  });
});

describe('keys to generate', () => {
  it('are those that the profile signs with, Ed25519 first where RSA has no PKCS#1 v1.5', () => {
    assert.equal(keyChoicesFor(closed).usual, 3072);
    assert.equal(keyChoicesFor(undefined).usual, 3072);
    assert.deepEqual(keyChoicesFor(['ecdsa-p256-sha256', 'PS256', 'ed25519']), {
      choices: ['ed25519', 'ecdsa-p256-sha256', 2048, 3072, 4096],
      usual: 'ed25519',
    });
    assert.deepEqual(keyChoicesFor(['ed25519']), { choices: ['ed25519'], usual: 'ed25519' });
  });
});

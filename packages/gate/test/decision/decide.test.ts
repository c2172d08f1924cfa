import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { createSigner, createVerificationKey } from '@countersign/signature/node';
import { rulesFrom } from '@countersign/signature/profile';
import { decide, type RegisteredClient, type UsableKey } from '../../src/index.ts';
import { attemptOf } from './attempt.ts';

const pairs = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
const [old, latest] = pairs.map(({ publicKey }, index): UsableKey => ({
  ...createVerificationKey(publicKey.export({ type: 'spki', format: 'pem' })),
  keyId: `key_${index}`,
  fingerprint: '',
  isPending: false,
  endsAtMs: undefined,
})) as [UsableKey, UsableKey];

test('an older key that ends while the body comes does not change which key has signed', () => {
  let hasOldEnded = false;
  const client = {
    status: 'active',
    profile: 'countersign',
    get keys() {
      return hasOldEnded ? [latest] : [old, latest];
    },
  } as unknown as RegisteredClient;
  const signer = createSigner({ keyid: 'shop', privateKey: pairs[1]!.privateKey });
  const { headers } = signer.sign({ method: 'GET', url: 'https://api.example.test/' });
  const decision = decide(attemptOf('https://api.example.test/', Object.entries(headers)), {
    registry: { clientById: () => client },
    guard: { use: () => undefined },
    rules: rulesFrom({}),
  });
  assert.equal(decision.head(), undefined);
  hasOldEnded = true;
  assert.equal(decision.key()?.keyId, 'key_1');
});

test('a decision reads the registry alike, whether the client exists or not', () => {
  const signer = createSigner({ keyid: 'shop', privateKey: pairs[0]!.privateKey });
  const { headers } = signer.sign({ method: 'GET', url: 'https://api.example.test/' });
  const refusedWith = (known: boolean): readonly string[] => {
    const steps: string[] = [];
    const withLatestKey = {
      get keys() {
        steps.push('keys');
        return [latest];
      },
    } as unknown as RegisteredClient;
    const decision = decide(attemptOf('https://api.example.test/', Object.entries(headers)), {
      registry: {
        clientById: (clientId) => {
          steps.push(`client ${clientId}`);
          return known ? withLatestKey : undefined;
        },
        standIn: (clientId) => {
          steps.push(`stand-in ${clientId}`);
          return withLatestKey;
        },
      },
      guard: { use: () => undefined },
      rules: rulesFrom({}),
    });
    assert.equal(decision.head()?.code, 'signature_invalid');
    return steps;
  };
  const expected = ['stand-in shop', 'client shop', 'keys'];
  assert.deepEqual(refusedWith(false), expected);
  assert.deepEqual(refusedWith(true), expected);
});

test('keys that stand in for those of a client that does not exist verify nothing', () => {
  const signer = createSigner({ keyid: 'nobody', privateKey: pairs[0]!.privateKey });
  const { headers } = signer.sign({ method: 'GET', url: 'https://api.example.test/' });
  const decision = decide(attemptOf('https://api.example.test/', Object.entries(headers)), {
    registry: { clientById: () => undefined, standIn: () => ({ keys: [old] }) },
    guard: { use: () => undefined },
    rules: rulesFrom({}),
  });
  assert.equal(decision.head()?.reason, 'no client has this keyid');
  assert.equal(decision.key(), undefined);
});

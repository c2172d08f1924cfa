import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Key, KeyStatus } from '@countersign/contract';
import { rotationState } from '../src/keys/rotation-state.ts';

let born = 0;

function key(keyId: string, status: KeyStatus, more: Partial<Key> = {}): Key {
  born += 1;
  return {
    keyId,
    clientId: 'client_1',
    fingerprint: `SHA256:${keyId}`,
    algorithm: 'rsa-v1_5-sha256',
    modulusBits: 3072,
    status,
    createdAt: new Date(Date.UTC(2026, 10, 1) + born * 1000).toISOString(),
    ageDays: 1,
    ...more,
  };
}

describe('where a rollover stands', () => {
  it('starts with no key at all, and with ended keys alone', () => {
    assert.deepEqual(rotationState([]), { phase: 'start', current: undefined });
    assert.deepEqual(rotationState([key('a', 'revoked'), key('b', 'expired')]), {
      phase: 'start',
      current: undefined,
    });
  });

  it('starts with one key, whether it was used or not, or ends', () => {
    for (const status of ['pending', 'active', 'retiring'] as const) {
      const current = key('a', status);
      assert.deepEqual(rotationState([current]), { phase: 'start', current });
    }
  });

  it('waits for the first use of the new key, in whatever order the keys come', () => {
    const oldKey = key('a', 'active');
    const newKey = key('b', 'pending', { replacesKeyId: 'a' });
    assert.deepEqual(rotationState([oldKey, newKey]), { phase: 'deploy', oldKey, newKey });
    assert.deepEqual(rotationState([newKey, oldKey]), { phase: 'deploy', oldKey, newKey });
  });

  it('waits although the old key ends already, and although it was never used', () => {
    const retiring = key('a', 'retiring');
    const next = key('b', 'pending');
    assert.deepEqual(rotationState([retiring, next]), { phase: 'deploy', oldKey: retiring, newKey: next });
    const unused = key('c', 'pending');
    const replacing = key('d', 'pending', { replacesKeyId: 'c' });
    assert.deepEqual(rotationState([unused, replacing]), {
      phase: 'deploy',
      oldKey: unused,
      newKey: replacing,
    });
  });

  it('knows which of two keys of one second is the new one', () => {
    const createdAt = '2026-11-01T00:00:00.000Z';
    const newKey = key('a', 'pending', { createdAt, replacesKeyId: 'b' });
    const oldKey = key('b', 'active', { createdAt });
    assert.deepEqual(rotationState([newKey, oldKey]), { phase: 'deploy', oldKey, newKey });
  });

  it('waits for the key that comes after a revoked one', () => {
    const newKey = key('b', 'pending', { createdAt: '2027-01-01T00:00:00.000Z' });
    assert.deepEqual(rotationState([key('a', 'revoked'), newKey]), {
      phase: 'deploy',
      newKey,
      oldKey: undefined,
    });
  });

  it('runs while the old key verifies beside the new one', () => {
    const oldKey = key('a', 'retiring', { endsAt: '2026-12-01T00:00:00.000Z' });
    const newKey = key('b', 'active', { replacesKeyId: 'a' });
    assert.deepEqual(rotationState([oldKey, newKey]), { phase: 'switch', oldKey, newKey });
  });

  it('is done for the key that the page follows, and for no other', () => {
    const oldKey = key('a', 'expired');
    const newKey = key('b', 'active', { replacesKeyId: 'a' });
    assert.deepEqual(rotationState([oldKey, newKey], 'b'), { phase: 'done', oldKey, newKey });
    assert.deepEqual(rotationState([oldKey, newKey], 'a'), { phase: 'start', current: newKey });
    assert.deepEqual(rotationState([oldKey, newKey]), { phase: 'start', current: newKey });
  });
});

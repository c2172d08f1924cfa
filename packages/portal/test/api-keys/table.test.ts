import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Key } from '@countersign/contract';
import {
  clientListQuery,
  clientsPath,
  isFiltered,
  readClientFilters,
} from '../../src/pages/api-keys/table/client-filters.ts';
import { countKeys, timeLeft } from '../../src/pages/api-keys/table/key-words.ts';

const nowMs = Date.parse('2026-05-27T12:00:00Z');
const hourMs = 3_600_000;
const words = {
  days: (count: number) => `${count} d`,
  hours: (count: number) => `${count} h`,
  minutes: (count: number) => `${count} min`,
};
const key = (status: Key['status'], extra: Partial<Key> = {}): Key => ({
  keyId: 'key_1',
  clientId: 'client_1',
  fingerprint: 'SHA256:x',
  algorithm: 'rsa-v1_5-sha256',
  modulusBits: 2048,
  status,
  createdAt: '2026-05-01T00:00:00Z',
  ageDays: 1,
  ...extra,
});

describe('the filters of the table', () => {
  it('count as not given when the address holds something else', () => {
    const filters = readClientFilters(
      new URLSearchParams('status=gone&role=%3Cb%3E&rotation=later&tag=%3Cb%3E&sort=id'),
    );
    const others = {
      status: undefined,
      role: undefined,
      rotation: undefined,
      tag: undefined,
    };
    assert.deepEqual(filters, { search: '', ...others, sort: '-createdAt' });
    assert.equal(isFiltered(filters), false);
    assert.deepEqual(clientListQuery(filters), { sort: '-createdAt' });
    assert.equal(clientsPath(filters), '/integrations/api-keys');
  });

  it('are the same after a way through the address', () => {
    const filters = {
      search: 'shop & co',
      status: 'active',
      role: 'auditor',
      rotation: 'due',
      tag: 'env:eu',
      sort: '-name',
    } as const;
    const path = clientsPath(filters);
    assert.deepEqual(readClientFilters(new URL(path, 'http://x').searchParams), filters);
    assert.deepEqual(clientListQuery(filters), filters);
    assert.ok(isFiltered(filters));
  });
});

describe('the keys of a client in words', () => {
  it('none', () => {
    const none = { active: 0, pending: 0, retiring: 0, nextEndMs: undefined, rotation: undefined };
    assert.deepEqual(countKeys({ keys: [] }), none);
  });

  it('the end that comes first, and no advice to rotate while that is being done', () => {
    const counts = countKeys({
      keys: [key('active'), key('retiring', { endsAt: '2026-05-29T12:00:00Z', rotation: 'overdue' })],
    });
    assert.deepEqual(counts, {
      active: 1,
      pending: 0,
      retiring: 1,
      nextEndMs: nowMs + 48 * hourMs,
      rotation: undefined,
    });
    assert.equal(countKeys({ keys: [key('active', { rotation: 'due' })] }).rotation, 'due');
    assert.equal(countKeys({ keys: [key('active', { rotation: 'overdue' })] }).rotation, 'overdue');
  });

  it('how long it still is', () => {
    assert.equal(timeLeft(nowMs + 49 * hourMs, nowMs, words), '2 d');
    assert.equal(timeLeft(nowMs + 30 * hourMs, nowMs, words), '30 h');
    assert.equal(timeLeft(nowMs + 90_000, nowMs, words), '2 min');
    assert.equal(timeLeft(nowMs - 5, nowMs, words), '0 min');
  });
});

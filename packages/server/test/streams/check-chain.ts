import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { canonicalJson } from '@countersign/contract/audit-chain';
import type { ReceivedLine } from './receiver.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Checks that a copy has every position from 1 on, unchanged and in order; some may occur again. Returns the last position. */
export function checkChain(lines: readonly ReceivedLine[]): number {
  const hashes = ['0'.repeat(64)];
  for (const { position, previousHash, digest, hash, record } of lines) {
    assert.ok(position >= 1 && position <= hashes.length, `position ${position} after ${hashes.length - 1}`);
    if (record !== undefined) assert.equal(sha256(canonicalJson(record)), digest);
    assert.equal(previousHash, hashes[position - 1]);
    assert.equal(sha256(`${previousHash} ${position} ${digest}`), hash);
    hashes[position] ??= hash;
    assert.equal(hashes[position], hash);
  }
  return hashes.length - 1;
}

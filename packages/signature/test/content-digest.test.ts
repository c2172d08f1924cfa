import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import { contentDigest } from '../src/index.ts';

it('makes the same Content-Digest with Web Crypto as Node, at lengths that are hashed at once and by another thread', async () => {
  for (const length of [0, 1, 55, 56, 63, 64, 119, 120, 2047, 2048, 2049, 100_000]) {
    const body = Uint8Array.from({ length }, (_, index) => (index * 131 + length) & 255);
    assert.equal(await contentDigest(body), `sha-256=:${hash('sha256', body, 'base64')}:`, `${length} bytes`);
  }
});

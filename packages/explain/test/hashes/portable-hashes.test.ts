import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { portableHashes, portableSha256 } from '../../src/index.ts';

describe('the hash functions for runtimes without synchronous ones', () => {
  const functions = { sha256: portableSha256, ...portableHashes };
  for (const [name, portable] of Object.entries(functions)) {
    it(`${name}: the values of the platform, at every length around the blocks`, () => {
      for (let length = 0; length < 300; length++) {
        const message = Uint8Array.from({ length }, (_, index) => (index * 131 + length * 17) & 255);
        assert.deepEqual(
          Buffer.from(portable(message)).toString('hex'),
          hash(name, message),
          `${length} bytes`,
        );
      }
      const large = new Uint8Array(100_000).fill(0xa5);
      assert.equal(Buffer.from(portable(large)).toString('hex'), hash(name, large));
    });
  }
});

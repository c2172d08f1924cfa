import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { messageProfiles } from '../../src/on-web/messages.ts';
import { interopCases } from './interop-cases.ts';
import { knownDifference } from './interop-differences.ts';
import type { Peer } from './interop-peers.ts';
import { interopDirections, type InteropRow, interopRows } from './interop-rounds.ts';

/**
 * Tests that a library and ours verify each other's messages, and that both reject changed ones.
 *
 * @param skip why the library cannot run here
 */
export function testInterop(peer: Peer, skip: string | false = false): void {
  describe(`interoperation with ${peer.name}`, { skip }, () => {
    let rows: readonly InteropRow[];
    before(async () => (rows = await interopRows(peer)));

    for (const { profile, components } of interopCases) {
      if (peer.profiles?.includes(profile) === false) continue;
      for (const algorithm of messageProfiles[profile].algorithms) {
        if (!peer.algorithms.includes(algorithm)) continue;
        for (const direction of interopDirections(peer)) {
          test(`${profile}, ${algorithm}: ${direction}`, () => {
            const row = rows.find(
              (each) =>
                each.profile === profile && each.algorithm === algorithm && each.direction === direction,
            )!;
            const known = knownDifference(row);
            if (known === undefined) {
              assert.equal(row.problem, undefined);
              assert.ok(row.rejected > components.length);
            } else assert.match(row.problem ?? 'no difference any more', known.problem);
            assert.deepEqual(row.accepted, []);
          });
        }
      }
    }
  });
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Key, KeyInspection } from '@countersign/contract';
import { readPublicKey } from '@countersign/signature/node';
import { sqlite } from '../storage/sqlite-backend.ts';
import { anywhere, managementScene, type ManagementScene } from './scene.ts';
import { makeKeyPair } from '../key-pair.ts';

/* Examining a large key takes long. Nobody else may wait for it. */

const publicKey = makeKeyPair(4096).publicKey;

describe('while keys are examined', () => {
  let scene: ManagementScene;
  before(async () => {
    scene = await managementScene(sqlite);
  });
  after(() => scene.close());

  test('the event loop goes on: no turn takes a large part of what one key takes', async () => {
    const { administrator } = scene;
    const wholeMs = cpuMsOf(() => assert.ok(readPublicKey(publicKey).ok));
    // The best of some rounds: any turn may be the one in which memory is collected.
    let longestMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5 && longestMs >= wholeMs / 3; round++) {
      const watched = await watchEventLoop(() =>
        Promise.all(
          Array.from({ length: 5 }, () =>
            scene.succeed<KeyInspection>(administrator, 'inspectKey', { body: { publicKey } }),
          ),
        ),
      );
      for (const { isAcceptable } of watched.result) assert.equal(isAcceptable, true);
      longestMs = Math.min(longestMs, watched.longestMs);
    }
    assert.ok(longestMs < wholeMs / 3, `a turn took ${longestMs} ms, the whole key ${wholeMs} ms`);
  });

  test('a key that is added, or comes with a client, is examined once', async () => {
    const { administrator } = scene;
    const wholeMs = cpuMsOf(() => assert.ok(readPublicKey(publicKey).ok));
    const client = { name: 'Large', networkWhitelist: anywhere };
    const { clientId } = await scene.succeed<{ clientId: string }>(administrator, 'addClient', {
      body: client,
    });
    const start = process.cpuUsage();
    const added = await scene.succeed<Key>(administrator, 'addKey', {
      path: { clientId },
      body: { publicKey },
    });
    const { user, system } = process.cpuUsage(start);
    assert.equal(added.modulusBits, 4096);
    const usedMs = (user + system) / 1000;
    assert.ok(usedMs < wholeMs * 2, `adding took ${usedMs} ms, reading the key once ${wholeMs} ms`);
  });
});

/** The longest time on the processor between two rounds of the event loop. */
async function watchEventLoop<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; longestMs: number }> {
  let longestMs = 0;
  let isWatching = true;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    last = process.threadCpuUsage();
    if (isWatching) setImmediate(look);
  };
  look();
  const result = await work();
  isWatching = false;
  return { result, longestMs };
}

function cpuMsOf(work: () => void): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

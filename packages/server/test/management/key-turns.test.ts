import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Key, KeyInspection } from '@countersign/contract';
import { readPublicKeyInTurns } from '@countersign/signature/node';
import { countCalls } from '@countersign/testing/counted-work';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { publishedKeyPair } from '@countersign/testing/running-service';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { anywhere, managementScene, type ManagementScene } from './scene.ts';

/* Examining a large key takes long. Nobody else may wait for it. */

const publicKey = makeKeyPair(4096).publicKey;
const turnsFile = 'server/src/api/key-turns.ts';

describe('while keys are examined', () => {
  let scene: ManagementScene;
  before(async () => {
    scene = await managementScene(sqlite);
  });
  after(() => scene.close());

  test('the event loop goes on: every turn has a round of it for itself, and is a small part of one key', async () => {
    const { administrator } = scene;
    const turnsOfKey = await turnsToRead(publicKey);
    assert.ok(turnsOfKey >= 30, `${turnsOfKey} turns`);
    const inspect = (): Promise<KeyInspection> =>
      scene.succeed<KeyInspection>(administrator, 'inspectKey', { body: { publicKey } });
    let rounds = 0;
    const { nextKeyTurn: turns } = await countCalls(turnsFile, ['nextKeyTurn'], async () => {
      const watched = await countRounds(() => Promise.all(Array.from({ length: 5 }, inspect)));
      for (const { isAcceptable } of watched.result) assert.equal(isAcceptable, true);
      ({ rounds } = watched);
    });
    assert.equal(turns, 5 * turnsOfKey);
    assert.ok(rounds >= turns, `${turns} turns in ${rounds} rounds`);
  });

  test('a key that is added, or comes with a client, is examined once', async () => {
    const { administrator } = scene;
    const client = { name: 'Large', networkWhitelist: anywhere };
    let clientId = '';
    const other = publishedKeyPair('rsa-4096-a').publicKey;
    const withClient = await countCalls(turnsFile, ['nextKeyTurn'], async () => {
      ({ clientId } = await scene.succeed<{ clientId: string }>(administrator, 'addClient', {
        body: { ...client, publicKey: other },
      }));
    });
    assert.equal(withClient.nextKeyTurn, await turnsToRead(other));
    const added = await countCalls(turnsFile, ['nextKeyTurn'], async () => {
      const key = await scene.succeed<Key>(administrator, 'addKey', {
        path: { clientId },
        body: { publicKey },
      });
      assert.equal(key.modulusBits, 4096);
    });
    assert.equal(added.nextKeyTurn, await turnsToRead(publicKey));
  });
});

/** The turns in which a key is read once. */
async function turnsToRead(text: string): Promise<number> {
  let turns = 0;
  const reading = await readPublicKeyInTurns(text, { allowPublishedTestKeys: true }, async () => {
    turns += 1;
  });
  assert.ok(reading.ok);
  return turns;
}

/** Counts the rounds of the event loop that some work takes. */
async function countRounds<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly rounds: number }> {
  let rounds = 0;
  let immediate = setImmediate(function look() {
    rounds += 1;
    immediate = setImmediate(look);
  });
  try {
    const result = await work();
    return { result, rounds };
  } finally {
    clearImmediate(immediate);
  }
}

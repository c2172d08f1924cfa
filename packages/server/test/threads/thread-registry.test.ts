import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { MainThread } from '../../src/threads/main-thread.ts';
import { RegistryFeed } from '../../src/threads/registry-feed.ts';
import type { FromThread, SharedState } from '../../src/threads/thread-messages.ts';
import { ThreadRegistry } from '../../src/threads/thread-registry.ts';

/** A thread's registry while the main thread is still reading clients, and answers that it has read this one or not. */
function openWhileReading(t: TestContext, isDone: boolean): ThreadRegistry {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const state: SharedState = {
    words: new Int32Array(new SharedArrayBuffer(64)),
    spooledBytes: new BigInt64Array(1),
    freshSince: new BigInt64Array(new SharedArrayBuffer(8)),
  };
  const feed = new RegistryFeed(state);
  feed.begin(() => []);
  feed.subscribe(port1);
  feed.changed({ clients: [], removed: [], isAll: false, isReading: true });
  const main: MainThread = new MainThread({
    postMessage: (message: FromThread) =>
      main.received({ kind: 'response', call: (message as { call: number }).call, isDone }),
  });
  return new ThreadRegistry(state, port2, main, Date.now);
}

describe('a thread, while clients are still being read', () => {
  test('is done with a name that nobody has, as with one that exists', async (t) => {
    const registry = openWhileReading(t, true);
    assert.equal(registry.isReading(), true);
    await registry.read('nobody');
    assert.equal(registry.clientById('nobody'), undefined);
    assert.equal(registry.isUnread(), false);
  });

  test('does not know a client that the main thread could not read', async (t) => {
    await assert.rejects(openWhileReading(t, false).read('client'), /cannot be read/);
  });
});

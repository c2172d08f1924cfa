import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresListener } from '../../src/storage/postgres-listener.ts';
import { waitUntil } from '../wait-until.ts';
import { PostgresServer, postgresSkip } from './postgres-server.ts';

describe('a listener', { skip: postgresSkip }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.remove());

  function listen(
    t: TestContext,
    url = server.url('postgres'),
  ): { listener: PostgresListener; heard: () => number } {
    let heard = 0;
    const listener = new PostgresListener({ url, channel: 'a "channel"' });
    listener.start(() => (heard += 1));
    t.after(() => listener.close());
    return { listener, heard: () => heard };
  }

  async function heardInTime(isHeard: () => boolean): Promise<void> {
    const tookMs = await waitUntil(isHeard, 'a signal');
    assert.ok(tookMs < 5000, `heard after ${tookMs} ms`);
  }

  const tell = (): Promise<unknown> => server.query(`select pg_notify('a "channel"', 'text')`);

  test('hears what is committed, and nothing else', async (t) => {
    const { heard } = listen(t);
    // The connection itself is a signal.
    await heardInTime(() => heard() === 1);
    await server.query(`begin; select pg_notify('a "channel"', ''); rollback`);
    await server.query(`select pg_notify('another', '')`);
    await sleep(50);
    assert.equal(heard(), 1);
    await tell();
    await heardInTime(() => heard() === 2);
  });

  test('hears again when the server is back, and is told that it may have missed something', async (t) => {
    const { heard } = listen(t);
    await heardInTime(() => heard() === 1);
    await server.kill();
    await sleep(300);
    assert.equal(heard(), 1);
    await server.start();
    await heardInTime(() => heard() === 2);
    await tell();
    await heardInTime(() => heard() === 3);
  });

  test('begins to hear when the server comes later than itself', async (t) => {
    await server.stop();
    const { heard } = listen(t);
    await sleep(200);
    assert.equal(heard(), 0);
    await server.start();
    await heardInTime(() => heard() === 1);
  });

  test('is silent once it is closed, whatever it was doing', async (t) => {
    const { listener, heard } = listen(t);
    await heardInTime(() => heard() === 1);
    await listener.close();
    await tell();
    const early = listen(t);
    await early.listener.close();
    const away = listen(t, 'postgresql://user@127.0.0.1:1/none');
    await sleep(50);
    await away.listener.close();
    assert.deepEqual([heard(), early.heard(), away.heard()], [1, 0, 0]);
    assert.deepEqual(
      await server.query(`select from pg_stat_activity where application_name = 'countersign registry'`),
      [],
    );
  });
});

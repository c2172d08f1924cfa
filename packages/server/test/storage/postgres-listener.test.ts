import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, test, type TestContext } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import { waitUntil } from '@countersign/testing/wait-until';
import { PostgresListener } from '../../src/storage/postgres-listener.ts';

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

  async function hears(heard: () => number, count: number): Promise<void> {
    await waitUntil(
      () => heard() >= count,
      () => `signal ${count}, after ${heard()}`,
    );
    assert.equal(heard(), count);
  }

  /** Takes connections and ends them at once until some have come: the one before the last has failed by then. */
  async function refuse(port: number, count: number): Promise<void> {
    let refused = 0;
    const refusing = createServer((socket) => {
      refused += 1;
      socket.destroy();
    });
    refusing.listen(port, '127.0.0.1');
    await once(refusing, 'listening');
    await waitUntil(() => refused >= count, 'the attempts to connect');
    refusing.close();
    await once(refusing, 'close');
  }

  const tell = (): Promise<unknown> => server.query(`select pg_notify('a "channel"', 'text')`);

  test('hears what is committed, and nothing else', async (t) => {
    const { heard } = listen(t);
    // The connection itself is a signal.
    await hears(heard, 1);
    await server.query(`begin; select pg_notify('a "channel"', ''); rollback`);
    // One transaction's notifications arrive together, so one that is not for this listener would be counted too.
    await server.query(`select pg_notify('another', ''), pg_notify('a "channel"', 'text')`);
    await hears(heard, 2);
    await tell();
    await hears(heard, 3);
  });

  test('hears again when the server is back, and is told that it may have missed something', async (t) => {
    const { heard } = listen(t);
    await hears(heard, 1);
    await server.kill();
    await refuse(server.port, 2);
    assert.equal(heard(), 1);
    await server.start();
    await hears(heard, 2);
    await tell();
    await hears(heard, 3);
  });

  test('begins to hear when the server comes later than itself', async (t) => {
    await server.stop();
    const { heard } = listen(t);
    await refuse(server.port, 2);
    assert.equal(heard(), 0);
    await server.start();
    await hears(heard, 1);
  });

  test('is silent once it is closed, whatever it was doing', async (t) => {
    const { listener, heard } = listen(t);
    await hears(heard, 1);
    await listener.close();
    const early = listen(t);
    await early.listener.close();
    const port = await freePort();
    const away = listen(t, `postgresql://user@127.0.0.1:${port}/none`);
    await refuse(port, 2);
    await away.listener.close();
    // An open listener hears what closed ones do not.
    const open = listen(t);
    await hears(open.heard, 1);
    await tell();
    await hears(open.heard, 2);
    await open.listener.close();
    assert.deepEqual([heard(), early.heard(), away.heard()], [1, 0, 0]);
    const connected = `select from pg_stat_activity where application_name = 'countersign registry'`;
    await waitUntil(async () => (await server.query(connected)).length === 0, 'the end of all connections');
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { ConnectionBudget } from '../../src/http/connection-budget.ts';
import { attach, createListener } from '../../src/http/listener.ts';
import { UnprovedTurns } from '../../src/http/unproved-turns.ts';

describe('turns of unproved requests', () => {
  test('nothing waits while there is time', () => {
    const { take, begun } = openTurns({ turnMs: 10, workMs: 1 });
    for (let count = 0; count < 10; count++) take(`owner-${count}`, count);
    assert.equal(begun.length, 10);
  });

  test('what there is no time for waits for the next turns', async () => {
    const { take, begun, turns } = openTurns({ turnMs: 10, workMs: 5 });
    for (let count = 0; count < 5; count++) take('owner', count);
    assert.deepEqual(begun, [0, 1]);
    await nextTurn();
    assert.deepEqual(begun, [0, 1, 2, 3]);
    await nextTurn();
    assert.deepEqual(begun, [0, 1, 2, 3, 4]);
    assert.equal(turns.size, 0);
  });

  test('while many wait, a turn has four times as long', async () => {
    const { take, begun } = openTurns({ turnMs: 10, workMs: 5 });
    const begunInTurn = async (): Promise<number> => {
      const before = begun.length;
      await nextTurn();
      return begun.length - before;
    };
    for (let count = 0; count < 140; count++) take(`owner-${count}`, count);
    assert.equal(begun.length, 2);
    assert.equal(await begunInTurn(), 8);
    assert.equal(await begunInTurn(), 2);
    assert.equal(await begunInTurn(), 2);
  });

  test('who sends much does not make others wait longer than one request of each', async () => {
    const { take, begun } = openTurns({ turnMs: 0 });
    for (let count = 0; count < 100; count++) take('busy', count);
    await nextTurn();
    take('newcomer', 'newcomer');
    await nextTurn();
    await nextTurn();
    assert.deepEqual(begun, [0, 1, 'newcomer']);
  });

  test('who fails often gets every second place, and those that nobody else needs', async () => {
    const failing = new Set<string>();
    const { take, begun, turns } = openTurns({ turnMs: 0, failsOften: (owner) => failing.has(owner) });
    const strangers = Array.from({ length: 20 }, (_, index) => `stranger-${index}`);
    for (const stranger of strangers)
      for (let count = 0; count < 10; count++) take(stranger, `${stranger}, ${count}`);
    for (const stranger of strangers) failing.add(stranger);
    // Each is moved when it is its turn.
    for (let turn = 0; turn < 45; turn++) await nextTurn();
    const first = begun.length;
    for (const count of [1, 2, 3]) take(`newcomer-${count}`, `newcomer-${count}`);
    while (turns.size > 0) await nextTurn();
    const places = begun.slice(first).map((what) => String(what).startsWith('newcomer'));
    assert.equal(places.slice(0, 6).filter(Boolean).length, 3);
    assert.equal(begun.length, 203);
  });

  test('an owner with too many that wait is refused, and others are not', () => {
    const { take } = openTurns({ turnMs: 0 });
    const taken = Array.from({ length: 300 }, (_, count) => take('stranger', count));
    assert.equal(taken.indexOf(false), 256);
    assert.equal(taken.lastIndexOf(true), 255);
    assert.equal(take('newcomer', 0), true);
  });

  test('however many owners there are, what waits is bounded, and each may have something', () => {
    const { take, turns } = openTurns({ turnMs: 0 });
    const ownersCount = 20_000;
    for (let owner = 0; owner < ownersCount; owner++) {
      assert.equal(take(`owner-${owner}`, 0), true);
      for (let count = 0; count < 5; count++) take(`owner-${owner}`, count);
    }
    assert.ok(turns.size < ownersCount + 16_384, `${turns.size} wait`);
  });

  test('an error in one does not keep the next from its turn', async (t) => {
    const thrown: unknown[] = [];
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => thrown.push(error));
    t.after(() => {
      process.removeAllListeners('uncaughtException');
      for (const other of others) process.on('uncaughtException', other);
    });
    const { turns, take, begun } = openTurns({ turnMs: 0 });
    turns.take({
      owner: 'broken',
      begin: () => {
        throw new Error('broken');
      },
    });
    take('next', 'next');
    while (turns.size > 0) await nextTurn();
    assert.deepEqual(begun, ['next']);
    assert.equal(thrown.length, 1);
  });

  test('each is begun once, and those of one owner in their order, whoever fails meanwhile', async () => {
    const step = fc.record({ owner: fc.nat(4), fails: fc.boolean(), waits: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(3), async (steps, turnMs) => {
        const failing = new Set<string>();
        const { turns, take, begun } = openTurns({ turnMs, failsOften: (owner) => failing.has(owner) });
        for (const [index, { owner, fails, waits }] of steps.entries()) {
          assert.equal(take(String(owner), index), true);
          if (fails) failing.add(String(owner));
          else failing.delete(String(owner));
          if (waits) await nextTurn();
        }
        while (turns.size > 0) await nextTurn();
        assert.equal(begun.length, steps.length);
        for (const one of [0, 1, 2, 3, 4]) {
          const own = begun.filter((index) => steps[Number(index)]!.owner === one);
          assert.deepEqual(
            own,
            own.toSorted((left, right) => Number(left) - Number(right)),
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('pipelined requests that wait', () => {
  test('are answered in their order', async (t) => {
    const { port, begun } = await openServer(t);
    const answer = await exchange(port, [request('/1'), request('/2'), request('/3', 'Connection: close')]);
    assert.deepEqual(begun, ['/1', '/2', '/3']);
    assert.deepEqual(answer.match(/at \/\d/g), ['at /1', 'at /2', 'at /3']);
  });

  test('are ignored behind one whose answer ends the connection', async (t) => {
    const { port, begun } = await openServer(t);
    const answer = await exchange(port, [request('/1'), request('/end'), request('/2'), request('/3')]);
    assert.deepEqual(begun, ['/1', '/end']);
    assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 2);
  });

  test('end the connection when there are too many', async (t) => {
    const { port, budget } = await openServer(t);
    const path = '/1';
    await exchange(
      port,
      Array.from({ length: 400 }, () => request(path)),
    );
    assert.equal(budget.figures.turnedAwayCount, 1);
    assert.equal(budget.figures.openCount, 0);
  });
});

interface Turns {
  readonly turns: UnprovedTurns;
  /** Hands over a request of an owner. */
  readonly take: (owner: string, what: string | number) => boolean;
  /** The started requests, in order. */
  readonly begun: (string | number)[];
}

/** Opens turns with a clock that only work moves. */
function openTurns({
  turnMs,
  workMs = 1,
  failsOften = () => false,
}: {
  readonly turnMs: number;
  readonly workMs?: number;
  readonly failsOften?: (owner: string) => boolean;
}): Turns {
  let nowMs = 0;
  const begun: (string | number)[] = [];
  const turns = new UnprovedTurns({ turnMs, failsOften, monotonicMs: () => nowMs });
  const take = (owner: string, what: string | number): boolean =>
    turns.take({
      owner,
      begin: () => {
        nowMs += workMs;
        begun.push(what);
      },
    });
  return { turns, take, begun };
}

/** Opens a server on which every request of an unproved connection waits for a turn of its own. */
async function openServer(
  t: TestContext,
): Promise<{ readonly port: number; readonly begun: string[]; readonly budget: ConnectionBudget }> {
  const begun: string[] = [];
  const budget = new ConnectionBudget({
    connectionsMax: 100,
    addressConnectionsMax: 0,
    unprovedIdleMs: 60_000,
    turnMs: 0,
    monotonicMs: () => 0,
    onTurnedAway: () => undefined,
  });
  const server = createListener();
  budget.limit(server, () => false);
  attach(server, {
    onRequest: ({ url = '' }, response) => {
      begun.push(url);
      if (url === '/end') response.shouldKeepAlive = false;
      response.end(`at ${url}`);
    },
    problemTypeBase: '/',
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    budget.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, begun, budget };
}

function request(path: string, ...fields: string[]): string {
  return `${[`GET ${path} HTTP/1.1`, 'Host: api.example', ...fields].join('\r\n')}\r\n\r\n`;
}

/** Sends requests at once, and returns all that comes back until the server ends the connection. */
async function exchange(port: number, requests: readonly string[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  // A connection that is cut is one that has ended.
  socket.on('error', () => undefined);
  socket.write(requests.join(''));
  await once(socket, 'close');
  return received;
}

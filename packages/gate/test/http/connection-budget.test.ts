import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server, Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import {
  ConnectionBudget,
  connectionFails,
  proveConnection,
  requestBegins,
  requestEnds,
} from '../../src/http/connection-budget.ts';
import { ConnectionTable } from '../../src/http/connection-table.ts';

/** A connection as far as the budget looks at it. */
class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly bytesRead = 0;
  readonly writable = true;
  isDestroyed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }

  destroySoon(): void {
    this.destroy();
  }
}

describe('an overloaded node', () => {
  function openNode(t: TestContext, isTrusted = false): { node: { isOverloaded: boolean }; open: Open } {
    const server = new EventEmitter();
    const node = { isOverloaded: true };
    const left = new Map<string, number>();
    const tokens = (address: string): number => left.get(address) ?? 3;
    const budget = new ConnectionBudget({
      connectionsMax: 100,
      addressConnectionsMax: 0,
      unprovedIdleMs: 5000,
      overload: {
        isOverloaded: () => node.isOverloaded,
        failures: { tokensMax: 3, tokens, take: (address) => void left.set(address, tokens(address) - 1) },
      },
      monotonicMs: () => 0,
      onTurnedAway: () => undefined,
    });
    t.after(() => budget.close());
    budget.limit(server as unknown as Server, () => isTrusted);
    const open = (address: string): FakeSocket => {
      const socket = new FakeSocket(address);
      server.emit('connection', socket);
      return socket;
    };
    return { node, open };
  }

  function fail(socket: FakeSocket): void {
    requestBegins(socket as unknown as Socket);
    connectionFails(socket as unknown as Socket);
    requestEnds(socket as unknown as Socket, true);
  }

  test('ends the connection of an address that keeps failing, and takes no new one from there', (t) => {
    const { open } = openNode(t);
    const stranger = open('192.0.2.1');
    const states = [1, 2, 3].map(() => {
      fail(stranger);
      return stranger.isDestroyed;
    });
    assert.deepEqual(states, [false, false, true]);
    assert.equal(open('192.0.2.1').isDestroyed, true);
    assert.equal(open('192.0.2.2').isDestroyed, false);
  });

  test('keeps connections on which a signature has verified, whatever fails at their address', (t) => {
    const { open } = openNode(t);
    const [client, stranger] = [open('192.0.2.1'), open('192.0.2.1')];
    proveConnection(client as unknown as Socket);
    for (let count = 0; count < 5; count++) fail(stranger);
    fail(client);
    assert.deepEqual([client.isDestroyed, stranger.isDestroyed], [false, true]);
  });

  test('takes everybody again once it keeps up', (t) => {
    const { node, open } = openNode(t);
    for (let count = 0; count < 5; count++) fail(open('192.0.2.1'));
    node.isOverloaded = false;
    const stranger = open('192.0.2.1');
    fail(stranger);
    assert.equal(stranger.isDestroyed, false);
  });

  test('never turns away a trusted proxy, whose requests are those of others', (t) => {
    const { open } = openNode(t, true);
    const proxy = open('192.0.2.1');
    for (let count = 0; count < 10; count++) fail(proxy);
    assert.deepEqual([proxy.isDestroyed, open('192.0.2.1').isDestroyed], [false, false]);
  });
});

type Open = (address: string) => FakeSocket;

describe('connections that wait for too long', () => {
  test('end a few in each turn, so that thousands of them hold up nobody', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const server = new EventEmitter();
    let nowMs = 0;
    const budget = new ConnectionBudget({
      connectionsMax: 1000,
      addressConnectionsMax: 0,
      unprovedIdleMs: 0,
      monotonicMs: () => nowMs,
      onTurnedAway: () => undefined,
    });
    t.after(() => budget.close());
    budget.limit(server as unknown as Server, () => false);
    const sockets = Array.from({ length: 25 }, () => new FakeSocket('192.0.2.1'));
    for (const socket of sockets) server.emit('connection', socket);
    const endedCount = (): number => sockets.filter(({ isDestroyed }) => isDestroyed).length;
    nowMs = 1000;
    t.mock.timers.tick(50);
    assert.equal(endedCount(), 10);
    await nextTurn();
    assert.equal(endedCount(), 20);
    await nextTurn();
    assert.equal(endedCount(), 25);
    assert.equal(budget.figures.openCount, 0);
  });
});

describe('the budget', () => {
  test('counts an IPv6 network of 64 bits as one address, and a mapped IPv4 address as itself', (t) => {
    const server = new EventEmitter();
    const budget = new ConnectionBudget({
      connectionsMax: 100,
      addressConnectionsMax: 2,
      unprovedIdleMs: 5000,
      monotonicMs: () => 0,
      onTurnedAway: () => undefined,
    });
    t.after(() => budget.close());
    budget.limit(server as unknown as Server, () => false);
    const open = (address: string): FakeSocket => {
      const socket = new FakeSocket(address);
      server.emit('connection', socket);
      return socket;
    };
    const sockets = [
      '2001:db8::1',
      '2001:db8::ffff:2',
      '2001:db8:0:1::1',
      '192.0.2.1',
      '::ffff:192.0.2.1',
      '2001:db8:0:0:a::3',
      '192.0.2.1',
    ].map(open);
    assert.deepEqual(
      sockets.map(({ isDestroyed }) => isDestroyed),
      [true, false, false, true, false, false, false],
    );
    assert.deepEqual(budget.figures, {
      openCount: 5,
      unprovedCount: 5,
      connectionsMax: 100,
      turnedAwayCount: 2,
    });
  });
});

describe('a connection that waits for the head of a request', () => {
  const openWaiting = (
    t: TestContext,
  ): { readonly socket: FakeSocket; readonly pass: (milliseconds: number) => void } => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let nowMs = 0;
    const server = new EventEmitter();
    const budget = new ConnectionBudget({
      connectionsMax: 100,
      addressConnectionsMax: 0,
      unprovedIdleMs: 5000,
      monotonicMs: () => nowMs,
      onTurnedAway: () => undefined,
    });
    t.after(() => budget.close());
    budget.limit(server as unknown as Server, () => false);
    const socket = new FakeSocket('192.0.2.1');
    server.emit('connection', socket);
    return {
      socket,
      pass(milliseconds) {
        nowMs += milliseconds;
        t.mock.timers.tick(500);
      },
    };
  };

  test('ends after its time', (t) => {
    const { socket, pass } = openWaiting(t);
    for (let half = 0; half < 11; half++) pass(500);
    assert.equal(socket.isDestroyed, false);
    pass(500);
    assert.equal(socket.isDestroyed, true);
  });

  test('does not end because the process was too busy to read', (t) => {
    const { socket, pass } = openWaiting(t);
    for (let round = 0; round < 5; round++) pass(10_000);
    assert.equal(socket.isDestroyed, false);
    pass(10_000);
    assert.equal(socket.isDestroyed, true);
  });
});

describe('the table of connections', () => {
  interface Entry {
    readonly owner: string;
    isBusy: boolean;
  }

  test('knows who has the most, and what is idle or busy for longest, whatever happened before', () => {
    const step = fc.record({
      what: fc.constantFrom('add', 'add', 'remove', 'busy', 'idle'),
      owner: fc.constantFrom('a', 'b', 'c'),
      which: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const table = new ConnectionTable<Entry>();
        let all: Entry[] = [];
        for (const { what, owner, which } of steps) {
          const entry = all[which % Math.max(1, all.length)];
          if (what === 'add') {
            const added = { owner, isBusy: false };
            table.add(added);
            all.push(added);
          } else if (entry !== undefined) {
            all = all.filter((one) => one !== entry);
            if (what === 'remove') table.remove(entry);
            else {
              table.setBusy(entry, what === 'busy');
              all.push(entry);
            }
          }
          check(table, all);
        }
      }),
    );
  });

  function check(table: ConnectionTable<Entry>, all: readonly Entry[]): void {
    const counts = ['a', 'b', 'c'].map((owner) => all.filter((one) => one.owner === owner).length);
    assert.equal(table.size, all.length);
    const most = table.ownerOfMost();
    assert.equal(most === undefined ? 0 : table.countOf(most), Math.max(...counts));
    for (const [index, owner] of ['a', 'b', 'c'].entries()) {
      assert.equal(table.countOf(owner), counts[index]);
      const own = all.filter((one) => one.owner === owner);
      assert.equal(
        table.longestIdleOf(owner),
        own.find(({ isBusy }) => !isBusy),
      );
      assert.equal(
        table.longestBusyOf(owner),
        own.find(({ isBusy }) => isBusy),
      );
    }
  }
});

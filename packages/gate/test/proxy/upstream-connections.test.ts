import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger } from '@countersign/server';
import { waitFor, waitUntil } from '@countersign/testing/wait-until';
import { honest, type HostileUpstream, openHostileUpstream } from './hostile-upstream.ts';
import { openRawGateway, type RawGateway, wholeText } from './raw-gateway.ts';
import { readWholeAnswer, type WholeAnswer } from './whole-answer.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const patient = { connectSeconds: 60, firstByteSeconds: 60, idleSeconds: 60 };

let upstream: HostileUpstream;
let gateway: RawGateway;
let folder: string;
let logFile: string;
let count = 0;

/** A target of its own for every request, because equal requests have equal signatures. */
const target = (path = ''): string => `${path}/${++count}`;

const closers: (() => unknown)[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-gateway-'));
  logFile = join(folder, 'log.jsonl');
  closers.push(() => rm(folder, { recursive: true }));
  const t = { after: (close: () => unknown) => void closers.push(close) };
  upstream = await openHostileUpstream(t);
  const addresses = upstream.address;
  gateway = await openRawGateway(t, {
    upstreams: {
      patient: { addresses, ...patient },
      narrow: { addresses, ...patient, connectionsMax: 1, waitingMax: 2 },
      fleeting: { addresses, ...patient, keepAliveSeconds: 0.05 },
      single: { addresses, ...patient, keepAliveSeconds: 0 },
      impatient: { addresses, ...patient, connectSeconds: 0.01, connectionsMax: 1, waitingMax: 2 },
    },
    routes: [
      { path: '/**', upstream: 'patient' },
      { path: '/narrow/**', upstream: 'narrow' },
      { path: '/fleeting/**', upstream: 'fleeting' },
      { path: '/single/**', upstream: 'single' },
      { path: '/impatient/**', upstream: 'impatient' },
    ],
    logger: createLogger('info', logFile),
  });
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});
beforeEach(() => {
  upstream.forget();
  upstream.behave(honest);
});
afterEach(() => upstream.endAll());

describe('an answer that ends at any of its bytes', () => {
  const framings = {
    'with a length': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
    'in chunks': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    'up to the end of its connection': 'HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello',
    'behind an interim one': 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
  };
  for (const [name, text] of Object.entries(framings))
    for (const end of ['FIN', 'RST'] as const)
      test(`${name}, by ${end}, is complete or an error, and sent once`, async () => {
        const headEnd = text.lastIndexOf('\r\n\r\n', text.indexOf('hello')) + 4;
        const hasNoEnd = text.includes('X: y');
        const wrong: string[] = [];
        for (let length = 0; length <= text.length; length++) {
          upstream.forget();
          upstream.behave({
            answer: (socket) => {
              if (length > 0) socket.write(text.slice(0, length), 'latin1');
              if (end === 'FIN') socket.end();
              // The written bytes leave before the reset.
              else setImmediate(() => socket.resetAndDestroy());
            },
          });
          const answer = await gateway.ask('POST', target(), { body: 'x' });
          const isWhole = hasNoEnd ? length >= headEnd && end === 'FIN' : length === text.length;
          const isGood = answer.status === 200 && answer.isComplete;
          const isError = !answer.isComplete || answer.code === 'upstream_failed';
          const isSound = isWhole
            ? isGood &&
              answer.body ===
                text
                  .slice(headEnd, length)
                  .slice(-5)
                  .replace(/^5\r\n/, '')
            : isError;
          // A reset may overtake earlier bytes.
          const isLost = end === 'RST' && isError;
          const isChunkedWhole = isGood && length === text.length;
          if (!(isSound || isLost || isChunkedWhole) || upstream.requests.length !== 1)
            wrong.push(`${length}: ${answer.status} ${answer.body}, sent ${upstream.requests.length} times`);
        }
        assert.deepEqual(wrong, []);
      });
});

describe('a new connection', () => {
  test('on which the upstream speaks first is closed, and what it says is nobody’s answer', async () => {
    for (const bytes of [
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL',
      'HTTP/1.1 100 Go\r\n\r\n',
      '2',
    ]) {
      upstream.behave({ ...honest, connected: (socket) => void socket.write(bytes) });
      const answer = await gateway.ask('GET', target());
      assert.deepEqual([answer.status, answer.code], [502, 'upstream_unavailable']);
      await upstream.endAll();
    }
    assert.equal(upstream.requests.length, 0);
  });
});

describe('an idle connection', () => {
  test('is kept no longer than keepAliveSeconds, whatever the upstream announces', async () => {
    upstream.behave({
      answer: (socket) => void socket.write('HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=60\r\n\r\n'),
    });
    assert.equal((await gateway.ask('GET', target('/fleeting'))).status, 204);
    await upstream.allClosed();
  });

  test('is not kept at all with 0', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) await gateway.ask(method, target('/single'));
    assert.deepEqual([upstream.requests.length, upstream.connectionCount], [3, 3]);
  });

  test('that gets bytes which nobody asked for is closed, and they are nobody’s answer', async () => {
    for (const bytes of [
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL',
      'HTTP/1.1 100 Go\r\n\r\n',
      'x',
    ]) {
      const sockets: Socket[] = [];
      upstream.behave({ ...honest, connected: (socket) => void sockets.push(socket) });
      await gateway.ask('GET', target());
      sockets[0]!.write(bytes);
      await upstream.allClosed();
      const next = target();
      const answer = await gateway.ask('GET', next);
      assert.deepEqual([answer.status, answer.body], [200, `GET ${next}`]);
      await upstream.endAll();
    }
  });

  test('carries the next request', async () => {
    await gateway.ask('GET', target());
    await gateway.ask('POST', target(), { body: 'x' });
    await gateway.ask('DELETE', target());
    assert.deepEqual([upstream.requests.length, upstream.connectionCount], [3, 1]);
  });

  for (const { method, body, arrivals } of [
    { method: 'GET', arrivals: 2 },
    { method: 'HEAD', arrivals: 2 },
    { method: 'POST', body: 'x', arrivals: 1 },
    { method: 'PUT', body: 'x', arrivals: 1 },
    { method: 'PATCH', body: 'x', arrivals: 1 },
    { method: 'DELETE', arrivals: 1 },
    { method: 'OPTIONS', arrivals: 1 },
  ])
    test(`that ends under a ${method} ${arrivals === 2 ? 'lets it be repeated once' : 'loses it'}`, async () => {
      await gateway.ask('GET', target());
      upstream.forget();
      upstream.behave({
        answer: (socket, request) => {
          if (upstream.requests.length === 1) socket.resetAndDestroy();
          else honest.answer?.(socket, request);
        },
      });
      const answer = await gateway.ask(method, target(), body === undefined ? {} : { body });
      assert.equal(answer.status, arrivals === 2 ? 200 : 502);
      assert.equal(upstream.requests.length, arrivals);
    });
});

describe('a connection is not used again', () => {
  const cases: Readonly<Record<string, { method: string; body?: string; head?: string }>> = {
    'after a large body': { method: 'POST', body: 'x'.repeat(70_000) },
    'after a DELETE with a body': { method: 'DELETE', body: 'x' },
    'after a GET with a body': { method: 'GET', body: 'x' },
    'after an OPTIONS with a body': { method: 'OPTIONS', body: 'x' },
    'after a HEAD': { method: 'HEAD' },
    'after Connection: close': { method: 'GET', head: 'Connection: close\r\n' },
    'after an answer of HTTP/1.0': { method: 'GET', head: 'Connection: x\r\n' },
  };
  for (const [name, { method, body, head = '' }] of Object.entries(cases))
    test(name, async () => {
      upstream.behave({
        answer: (socket) => {
          const version = name.endsWith('1.0') ? '1.0' : '1.1';
          socket.write(`HTTP/${version} 200 OK\r\n${head}Content-Length: 0\r\n\r\n`);
        },
      });
      await gateway.ask(method, target(), body === undefined ? {} : { body });
      await gateway.ask('POST', target(), { body: 'x' });
      assert.deepEqual([upstream.requests.length, upstream.connectionCount], [2, 2]);
      if (body !== undefined) assert.deepEqual(upstream.requests[0]!.values('connection'), ['close']);
      assert.deepEqual(upstream.strays, []);
    });
});

describe('large answers', () => {
  const chunk = Buffer.alloc(256 * 1024, 'a');

  /** Writes a response of this many chunks, no faster than it is read. */
  async function answerSlowly(socket: Socket, chunks: number, onWritten: () => void): Promise<void> {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${chunks * chunk.length}\r\n\r\n`);
    for (let index = 0; index < chunks && !socket.destroyed; index++) {
      await new Promise<void>((resolve) => void socket.write(chunk, () => resolve()));
      onWritten();
    }
  }

  test('of 10 MB come whole', async () => {
    upstream.behave({ answer: (socket) => void answerSlowly(socket, 40, () => undefined) });
    const answer = await gateway.ask('GET', target());
    assert.deepEqual([answer.status, answer.body.length, answer.isComplete], [200, 40 * chunk.length, true]);
    assert.ok(answer.body === 'a'.repeat(answer.body.length));
  });

  test('wait in the upstream for a slow client, not in memory', async () => {
    const chunks = 256;
    let written = 0;
    upstream.behave({
      answer: (socket) => void answerSlowly(socket, chunks, () => (written += chunk.length)),
    });
    const socket = await gateway.open();
    socket.pause();
    socket.write(gateway.text('GET', target()));
    const atRest = memoryBytes();
    let read = 0;
    let ahead = 0;
    let memory = 0;
    let measured = 0;
    // Far more turns than it takes to fill every buffer between the two, if nothing held the upstream back.
    while (read < chunks * chunk.length) {
      for (let turns = 0; turns < 20; turns++) await turn();
      const bytes = socket.read() as Buffer | null;
      read += bytes?.length ?? 0;
      ahead = Math.max(ahead, written - read);
      if (read - measured < 8 * 2 ** 20) continue;
      measured = read;
      memory = Math.max(memory, memoryBytes() - atRest);
    }
    socket.destroy();
    assert.equal(written, chunks * chunk.length);
    assert.ok(ahead < 40 * 2 ** 20, `${ahead} bytes were under way`);
    assert.ok(memory < 30 * 2 ** 20, `${memory} bytes of memory were taken`);
  });

  test('without an end stop when the client goes', async () => {
    upstream.behave({ answer: (socket) => void answerSlowly(socket, 1_000_000, () => undefined) });
    const socket = await gateway.open();
    socket.write(gateway.text('GET', target()));
    await once(socket, 'data');
    socket.destroy();
    await upstream.allClosed();
  });
});

describe('a client that hangs up', () => {
  test('while its body comes is not forwarded', async () => {
    const path = target();
    const socket = await gateway.open();
    const whole = gateway.text('POST', path, { body: 'x'.repeat(1000) });
    socket.write(whole.slice(0, -500));
    // The gateway has it once a later request has its response.
    await gateway.ask('GET', target());
    socket.resetAndDestroy();
    assert.equal(await outcomeOf(path), 'connection_closed');
    assert.deepEqual(
      upstream.requests.map((request) => request.method),
      ['GET'],
    );
  });

  test('while the upstream works ends the upstream’s connection', async () => {
    const path = target();
    upstream.behave({});
    const socket = await gateway.open();
    socket.write(gateway.text('POST', path, { body: 'x' }));
    await upstream.arrived(1);
    socket.resetAndDestroy();
    await upstream.allClosed();
    assert.equal(await outcomeOf(path), 'connection_closed');
    assert.equal(upstream.requests.length, 1);
  });

  test('while the answer comes ends the upstream’s connection', async () => {
    upstream.behave({ answer: (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nhello') });
    const socket = await gateway.open();
    socket.write(gateway.text('GET', target()));
    await once(socket, 'data');
    socket.destroy();
    await upstream.allClosed();
    assert.equal(upstream.requests.length, 1);
  });

  test('while it waits for a connection leaves the queue', async () => {
    const held: Socket[] = [];
    upstream.behave({
      answer: (socket, request) => {
        if (request.target.startsWith('/narrow')) held.push(socket);
        else honest.answer?.(socket, request);
      },
    });
    const first = gateway.ask('GET', target('/narrow'));
    await upstream.arrived(1);
    const path = target('/narrow');
    const socket = await gateway.open();
    socket.write(gateway.text('POST', path, { body: 'x' }));
    // It is in the queue once a later request has its response.
    await gateway.ask('GET', target());
    socket.resetAndDestroy();
    assert.equal(await outcomeOf(path), 'connection_closed');
    upstream.behave(honest);
    held[0]!.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    assert.equal((await first).status, 200);
    assert.equal((await gateway.ask('GET', target('/narrow'))).status, 200);
    assert.deepEqual(upstream.requests.map((request) => request.method).includes('POST'), false);
  });

  /** The outcome in the record of a request, once it is written. */
  async function outcomeOf(path: string): Promise<unknown> {
    const { outcome } = await waitFor(async () => {
      const lines = (await readFile(logFile, 'utf8')).split('\n').slice(0, -1);
      return lines
        .map((line) => JSON.parse(line) as { readonly path?: string; readonly outcome?: string })
        .find((line) => line.path === path);
    }, `the record of ${path}`);
    return outcome;
  }
});

describe('more requests than connections', () => {
  test('wait, and beyond their number are refused', async () => {
    const held: Socket[] = [];
    upstream.behave({ answer: (socket) => void held.push(socket) });
    const paths = Array.from({ length: 5 }, () => target('/narrow'));
    const answers = paths.map((path) => gateway.ask('POST', path, { body: 'x' }));
    // Two of five find no place in the queue.
    const refused = new Set<WholeAnswer>();
    for (const answer of answers) void answer.then((one) => refused.size < 2 && refused.add(one));
    await upstream.arrived(1);
    await waitUntil(() => refused.size === 2, 'two are refused');
    assert.deepEqual(
      [...refused].map(({ status, code, headers }) => [status, code, headers['retry-after']]),
      Array.from({ length: 2 }, () => [503, 'upstream_busy', '1']),
    );
    assert.equal(upstream.requests.length, 1);
    upstream.behave(honest);
    held[0]!.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    const statuses = (await Promise.all(answers)).map(({ status }) => String(status));
    assert.deepEqual(
      statuses.toSorted((left, right) => left.localeCompare(right)),
      ['200', '200', '200', '503', '503'],
    );
    assert.equal(upstream.requests.length, 3);
    assert.equal(upstream.connectionCount, 1);
  });

  test('give up after a while, and never reach the upstream', async () => {
    const held: Socket[] = [];
    upstream.behave({ answer: (socket) => void held.push(socket) });
    const first = gateway.ask('POST', target('/impatient'), { body: 'x' });
    await upstream.arrived(1);
    const late = await gateway.ask('POST', target('/impatient'), { body: 'late' });
    assert.deepEqual([late.status, late.code], [503, 'upstream_busy']);
    upstream.behave(honest);
    held[0]!.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    assert.equal((await first).status, 200);
    assert.equal((await gateway.ask('POST', target('/impatient'), { body: 'x' })).status, 200);
    assert.deepEqual(
      upstream.requests.map(({ body }) => body),
      ['x', 'x'],
    );
    assert.equal(upstream.connectionCount, 1);
  });
});

describe('a client of HTTP/1.0', () => {
  test('gets an answer without a length up to the end of its connection', async () => {
    upstream.behave({
      answer: (socket) =>
        void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'),
    });
    const answer = await gateway.ask('GET', target(), { version: '1.0' });
    assert.deepEqual(
      [answer.body, answer.isComplete, answer.headers['transfer-encoding']],
      ['hello', true, undefined],
    );
  });

  test('sees a reset where such an answer breaks off', async () => {
    upstream.behave({
      answer: (socket) =>
        void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'),
    });
    const socket = await gateway.open();
    const whole = wholeText(socket);
    socket.write(gateway.text('GET', target(), { version: '1.0' }));
    await once(socket, 'data');
    await upstream.endAll();
    const { received, wasReset } = await whole;
    assert.equal(readWholeAnswer(received, 'GET', wasReset).isComplete, false);
  });
});

/** The reachable memory: garbage is collected first. */
function memoryBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

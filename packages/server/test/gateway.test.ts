import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { NetworkWhitelist, operations } from '@countersign/contract';
import { createGateway, type GatewayParts } from '../src/gateway.ts';
import { BaseUrls } from '../../gate/src/http/base-urls.ts';
import { createListener } from '../../gate/src/http/listener.ts';
import { createLogger } from '../src/telemetry/logger.ts';
import type { Handler } from '../src/api/handler.ts';
import { ProblemError } from '../../gate/src/http/problem-error.ts';
import { assertRefusal } from './http/problem-shape.ts';
import { openConnection, type RawAnswer, requestText } from './http/raw-connection.ts';
import { baseUrl } from './running-service.ts';

/* What no request can cause in a service that is right: handlers that fail. Nothing of why is told, and it goes on. */

let handler: Handler;
/** Whether the registry knows of its client no more than the name. */
let isUnread = false;
let reading: () => Promise<void> = () => Promise.resolve();
const client = {} as never;
const parts: GatewayParts = {
  checks: {
    admit: (attempt) =>
      isUnread
        ? { ok: false, code: 'signature_invalid', reason: 'unknown', clientId: 'shop' }
        : { ok: true, client, key: {} as never, presented: {} as never, attempt },
    accept: () => undefined,
  },
  registry: {
    clientById: () => client,
    isUnread: () => isUnread,
    read: async () => {
      await reading();
      isUnread = false;
    },
    isFresh: () => true,
    refresh: () => Promise.resolve(),
    followChange: () => Promise.resolve(),
    keyUsed: () => undefined,
    figures: () => ({ clientCount: 1, unreadCount: 0, ageMs: 0 }),
    close: () => Promise.resolve(),
  },
  guard: { use: () => undefined },
  rules: {} as never,
  api: {
    find: () => ({ operation: operations.getWhoami, parameters: {}, handler: (request) => handler(request) }),
  },
  baseUrls: new BaseUrls([baseUrl]),
  trustedProxies: new NetworkWhitelist([]),
  bodyBytesMax: 1000,
  problemTypeBase: `${baseUrl}/docs/errors`,
  nowMs: Date.now,
  logger: createLogger('silent', ''),
  answerPublic: () => false,
  isStopping: () => false,
};
const server = createListener(createGateway(parts), () => parts.problemTypeBase);

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => {
  server.close();
  server.closeAllConnections();
});

async function answerOf(failing: Handler): Promise<RawAnswer> {
  handler = failing;
  const connection = await openConnection((server.address() as AddressInfo).port);
  connection.write(requestText('GET', '/v1/whoami', { Host: 'api.example.test' }));
  const answer = await connection.answer();
  connection.cut();
  return answer;
}

describe('a handler that fails is answered with 500', () => {
  const circular: Record<string, unknown> = {};
  circular['itself'] = circular;
  const failures: [string, Handler][] = [
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['answers nothing', () => undefined as never],
    ['answers what is no JSON', () => ({ status: 200, body: circular })],
    [
      'answers a header that is none',
      () => ({ status: 200, headers: { 'X-Secret': 'secret\r\nSet-Cookie: a' } }),
    ],
    ['answers a status that is none', () => ({ status: 7 })],
  ];
  for (const [how, failing] of failures) {
    test(how, async () => {
      const answer = await answerOf(failing);
      const document = assertRefusal(answer, 'internal_error');
      assert.doesNotMatch(JSON.stringify([document, answer.headers]), /secret|cookie/i);
      assert.equal((await answerOf(() => ({ status: 204 }))).status, 204, 'the next request is served');
    });
  }

  test('fails in its refusal too: the connection ends, and the next request is served', async () => {
    const refusing: Handler = () => {
      throw new ProblemError('not_found', { headers: { 'X-Secret': 'secret\r\n' } });
    };
    await assert.rejects(answerOf(refusing), /ended before an answer; received ""/);
    assert.equal((await answerOf(() => ({ status: 204 }))).status, 204);
  });
});

test('an answer without content has no length', async () => {
  const { status, headers, text } = await answerOf(() => ({ status: 204 }));
  assert.deepEqual([status, headers['content-length'], text], [204, undefined, '']);
});

test('a refusal of a handler has its members and headers', async () => {
  const answer = await answerOf(() => {
    throw new ProblemError('body_invalid', {
      members: { errors: [{ pointer: '/a' }] },
      headers: { 'X-More': 'more' },
    });
  });
  assert.deepEqual(assertRefusal(answer, 'body_invalid')['errors'], [{ pointer: '/a' }]);
  assert.equal(answer.headers['x-more'], 'more');
});

describe('while the registry warms up', () => {
  const ask = (read: () => Promise<void>): Promise<RawAnswer> => {
    isUnread = true;
    reading = read;
    return answerOf(() => ({ status: 204 }));
  };
  after(() => {
    isUnread = false;
  });

  test('a client that cannot be read is told to come again, within a second', async () => {
    const failures = [() => Promise.reject(new Error('no storage')), () => new Promise<void>(() => {})];
    for (const fails of failures) {
      const startedMs = performance.now();
      assertRefusal(await ask(fails), 'registry_stale');
      assert.ok(performance.now() - startedMs < 1000);
    }
  });

  test('a client that calls is read before the others, and is let in', async () => {
    assert.equal((await ask(() => Promise.resolve())).status, 204);
  });
});

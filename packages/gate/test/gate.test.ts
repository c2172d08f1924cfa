import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { NetworkWhitelist } from '@countersign/contract/network';
import { createSigner, createVerificationKey, type Signer } from '@countersign/signature/node';
import { rulesFrom } from '@countersign/signature/profile';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { assertRefusal } from '@countersign/testing/problem-shape';
import { openConnection, type RawAnswer, requestText } from '@countersign/testing/raw-connection';
import { waitForResult } from '@countersign/testing/wait-until';
import {
  admitClient,
  type Answer,
  attach,
  BaseUrls,
  createGate,
  createListener,
  type Door,
  inMemory,
  type ProvedClient,
  ProblemError,
  type RequestRecord,
  type RegisteredClient,
  type Route,
  type UsableKey,
} from '../src/index.ts';

type Handler = (proved: ProvedClient, body: Uint8Array) => Promise<Answer> | Answer;

const keyPair = makeKeyPair();
const key: UsableKey = {
  ...createVerificationKey(keyPair.publicKey),
  keyId: 'key_1',
  fingerprint: '',
  isPending: false,
  endsAtMs: undefined,
};
const client = {
  clientId: 'shop',
  status: 'active',
  profile: 'countersign',
  keys: [key],
  network: NetworkWhitelist.fromTexts(['127.0.0.1']),
} as unknown as RegisteredClient;
const [signer, forger] = [keyPair, makeKeyPair()].map(({ privateKey }) =>
  createSigner({ keyid: 'shop', privateKey }),
) as [Signer, Signer];
const problemTypeBase = 'https://api.example.test/docs/errors';
let handler: Handler;
/** Whether the registry knows of its client no more than the name. */
let isUnread = false;
/** Whether clients are still being read, and which reads were asked for. */
let isReading = false;
const reads: string[] = [];
/** Whether requests are signed with an unregistered key. */
let isForged = false;
/** Whether requests have no signature. */
let isUnsigned = false;
/** Whether storage stands still, and how often it was to be read nevertheless. */
let isFrozen = false;
let refreshes = 0;
let reading: () => Promise<void> = () => Promise.resolve();
const records: RequestRecord[] = [];

/** An operation that every client may call. */
const signed: Route = {
  kind: 'client',
  admit: (head) =>
    admitClient(
      head,
      { requirement: undefined, parameters: {}, answer: (proved, body) => handler(proved, inMemory(body)) },
      {
        registry: {
          clientById: () => (isUnread ? undefined : client),
          isReading: () => isReading,
          isUnread: () => isUnread,
          read: async (clientId) => {
            reads.push(clientId);
            await reading();
            isUnread = false;
          },
          isFresh: () => !isFrozen,
          refresh: () => {
            refreshes += 1;
            return new Promise(() => {});
          },
        },
        guard: { use: () => undefined },
        rules: rulesFrom({}),
      },
    ),
};
const pageOf = (text: string): Route => ({
  kind: 'page',
  admit: () => ({ ok: true, sender: {}, answer: () => ({ status: 200, text }) }),
});
const consoleDoor: Door = {
  find: ({ path }) => (path === '/docs' ? pageOf('the documents of the console') : signed),
};
const apiDoor: Door = { find: ({ path }) => pageOf(`the API's own ${path}`) };
const server = createListener();
attach(server, {
  onRequest: createGate({
    baseUrls: new BaseUrls([
      { baseUrls: ['https://api.example.test'], door: consoleDoor },
      { baseUrls: ['https://shop.example.test'], door: apiDoor },
    ]),
    answerForeign: ({ url }) => (url === '/live' ? { status: 200, body: { status: 'ok' } } : undefined),
    trustedProxies: new NetworkWhitelist([]),
    bodyBytesMax: 1000,
    observer: {
      answered: (record) => records.push(record),
      unparsable: () => undefined,
      failed: () => undefined,
    },
    problemTypeBase,
    nowMs: Date.now,
    isStopping: () => false,
  }),
  problemTypeBase,
});

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => {
  server.close();
  server.closeAllConnections();
});

async function ask(path: string, host: string): Promise<RawAnswer> {
  const connection = await openConnection((server.address() as AddressInfo).port);
  connection.write(requestText('GET', path, { Host: host, ...signatureFor(path, host) }));
  const answer = await connection.answer();
  connection.cut();
  return answer;
}

function signatureFor(path: string, host: string): Record<string, string> {
  if (isUnsigned) return {};
  const { headers } = (isForged ? forger : signer).sign({ method: 'GET', url: `https://${host}${path}` });
  return { ...headers };
}

async function answerOf(failing: Handler): Promise<RawAnswer> {
  handler = failing;
  return ask('/v1/whoami', 'api.example.test');
}

/*
 * Failures that no request can cause in a correct service: handlers that throw. The response reveals no
 * reason, and the service continues.
 */

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
  const askWhileReading = (read: () => Promise<void>): Promise<RawAnswer> => {
    isUnread = true;
    isReading = true;
    reading = read;
    return answerOf(() => ({ status: 204 }));
  };
  after(() => {
    isUnread = false;
    isReading = false;
    isForged = false;
  });

  test('a client that cannot be read is told to come again, within a second', async () => {
    const failures = [() => Promise.reject(new Error('no storage')), () => new Promise<void>(() => {})];
    for (const fails of failures) {
      assertRefusal(await waitForResult(askWhileReading(fails), 'the answer'), 'registry_stale');
    }
  });

  test('a client that calls is read before the others, and is let in', async () => {
    assert.equal((await askWhileReading(() => Promise.resolve())).status, 204);
  });

  test('whoever is refused by check 8 waits for a read, and nobody who is let in', async () => {
    isUnread = false;
    isReading = true;
    reading = () => Promise.resolve();
    reads.length = 0;
    assert.equal((await answerOf(() => ({ status: 204 }))).status, 204);
    assert.deepEqual(reads, []);
    isForged = true;
    assertRefusal(await answerOf(() => ({ status: 204 })), 'signature_invalid');
    assert.deepEqual(reads, ['shop']);
  });
});

describe('doors', () => {
  test('each host has its own paths: nothing of the console hides a path of an API', async () => {
    assert.equal((await ask('/docs', 'api.example.test')).text, 'the documents of the console');
    assert.equal((await ask('/docs', 'shop.example.test')).text, "the API's own /docs");
    assert.equal((await ask('/live', 'shop.example.test')).text, "the API's own /live");
  });

  test('a host that is not ours gets nothing but health', async () => {
    assertRefusal(await ask('/docs', 'elsewhere.example.test'), 'request_malformed');
    assert.equal((await ask('/live', '10.0.0.7:8421')).text, '{"status":"ok"}');
  });

  test('pages are recorded as what they are, and health is not', async () => {
    records.length = 0;
    await ask('/docs', 'api.example.test');
    await ask('/live', '10.0.0.7:8421');
    assert.deepEqual(
      records.map(({ outcome, path, status }) => ({ outcome, path, status })),
      [{ outcome: 'page', path: '/docs', status: 200 }],
    );
  });
});

describe('an answer in bytes', () => {
  test('whole: with its length', async () => {
    const { headers, text } = await answerOf(() => ({
      status: 200,
      headers: { 'Content-Type': 'text/csv' },
      bytes: Buffer.from('a,b\n'),
    }));
    assert.deepEqual([headers['content-type'], headers['content-length'], text], ['text/csv', '4', 'a,b\n']);
  });

  test('as they come: every byte, in order', async () => {
    async function* lines(): AsyncGenerator<Uint8Array> {
      for (let line = 0; line < 1000; line++) yield Buffer.from(`${line}\n`);
    }
    handler = () => ({ status: 200, bytes: lines() });
    const expected = Array.from({ length: 1000 }, (_, line) => `${line}\n`).join('');
    assert.equal(await streamedText(), expected);
  });

  test('whose source fails: the connection is cut, so that nobody takes it for a whole one', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('secret');
    }
    handler = () => ({ status: 200, bytes: failing() });
    await assert.rejects(streamedText(), { code: 'ECONNRESET' });
    assert.equal((await answerOf(() => ({ status: 204 }))).status, 204, 'the next request is served');
  });

  test('of a caller that takes nothing: the source waits', async () => {
    let chunks = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        chunks++;
        yield Buffer.alloc(65_536);
      }
    }
    handler = () => ({ status: 200, bytes: endless() });
    const asked = request({
      port: portOf(),
      path: '/',
      headers: { Host: 'api.example.test', ...signatureFor('/', 'api.example.test') },
      agent: false,
    }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.pause();
    // Work that can continue does so in each turn of the event loop.
    for (let quietTurns = 0; quietTurns < 100;) {
      const seen = chunks;
      await setImmediate();
      quietTurns = chunks > 0 && chunks === seen ? quietTurns + 1 : 0;
      assert.ok(chunks < 500, `${chunks} chunks are in memory or on their way`);
    }
    answer.destroy();
  });
});

const portOf = (): number => (server.address() as AddressInfo).port;

async function streamedText(): Promise<string> {
  const headers = { Host: 'api.example.test', ...signatureFor('/', 'api.example.test') };
  const asked = request({ port: portOf(), path: '/', headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
  return text;
}

describe('while storage stands still', () => {
  before(() => {
    isFrozen = true;
  });
  after(() => {
    isFrozen = false;
    isForged = false;
    isUnsigned = false;
  });

  test('a stranger is refused without a look at it', async () => {
    refreshes = 0;
    isForged = true;
    assertRefusal(await answerOf(() => ({ status: 204 })), 'registry_stale');
    isUnsigned = true;
    assertRefusal(await answerOf(() => ({ status: 204 })), 'signature_missing');
    assert.equal(refreshes, 0);
  });

  test('who has proved who it is waits for it, half a second at most', async () => {
    isForged = false;
    isUnsigned = false;
    refreshes = 0;
    assertRefusal(
      await waitForResult(
        answerOf(() => ({ status: 204 })),
        'the answer',
      ),
      'registry_stale',
    );
    assert.equal(refreshes, 1);
  });
});

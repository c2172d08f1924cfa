import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { bodylessDraft, nowMs, paymentDraft, requestOf } from '@countersign/testing/draft';
import { openConnection, type RawAnswer, requestText } from '@countersign/testing/raw-connection';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';
import { pino } from 'pino';
import { attach, createListener, profileListenerLimits } from '../../src/http/listener.ts';

const host = { Host: 'api.example.test' };

function assertProblem(answer: RawAnswer, status: number, code: string): void {
  assert.equal(answer.status, status);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.json()['code'], code);
}

describe('the head', () => {
  let running: RunningService;
  let clientId: string;
  before(async () => {
    running = await runService({}, { nowMs });
    ({ clientId } = await running.addClient());
  });
  after(() => running.close());

  const sendRaw = async (bytes: string): Promise<RawAnswer> => {
    const connection = await openConnection(running.port);
    connection.write(bytes);
    const answer = await connection.answer();
    connection.cut();
    return answer;
  };
  /** A signed request whose lines after the first have this many bytes together, line ends included. */
  const headOf = (headerBytes: number): string => {
    const draft = bodylessDraft(clientId, { headers: { 'X-Filler': '' } });
    const { head } = requestOf(draft);
    const missing = headerBytes - (head.length - head.indexOf('\r\n') - 2);
    return head.replace('X-Filler: ', `X-Filler: ${'x'.repeat(missing)}`);
  };

  test('a header section beyond 16 KiB: 431, and the connection ends', async () => {
    const connection = await openConnection(running.port);
    connection.write(headOf(16_384 + 1024));
    assertProblem(await connection.answer(), 431, 'headers_too_large');
    await connection.ended();
  });
  test('one header without an end: 431 before more than the limit is taken', async () => {
    const connection = await openConnection(running.port);
    connection.write(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`);
    assertProblem(await connection.answer(), 431, 'headers_too_large');
    await connection.ended();
  });
  test('a header section of 15 KiB: accepted', async () => {
    assert.equal((await sendRaw(headOf(15 * 1024))).status, 200);
  });

  const lines = (count: number): Record<string, string> => {
    const others = 4; // Host, Date and the two fields of the signature
    return Object.fromEntries(Array.from({ length: count - others }, (_, index) => [`X-${index}`, 'x']));
  };
  test('101 header lines: 431', async () => {
    const answer = await sendDraft(running, bodylessDraft(clientId, { headers: lines(101) }));
    assertProblem(answer, 431, 'headers_too_large');
  });
  test('100 header lines: accepted', async () => {
    assert.equal((await sendDraft(running, bodylessDraft(clientId, { headers: lines(100) }))).status, 200);
  });
  test('2,500 header lines of one byte each, beyond what node:http passes on: 431', async () => {
    const answer = await sendRaw(
      `GET /v1/whoami HTTP/1.1\r\nHost: api.example.test\r\n${'x:y\r\n'.repeat(2500)}\r\n`,
    );
    assertProblem(answer, 431, 'headers_too_large');
  });

  test('a target of 8,193 bytes: 414', async () => {
    const answer = await sendDraft(running, bodylessDraft(clientId, { target: `/${'a'.repeat(8192)}` }));
    assertProblem(answer, 414, 'uri_too_long');
  });
  test('a target of 8,192 bytes: accepted', async () => {
    const answer = await sendDraft(running, bodylessDraft(clientId, { target: `/${'a'.repeat(8191)}` }));
    assertProblem(answer, 404, 'not_found');
  });
  test('in absolute form the whole URL counts', async () => {
    const target = `https://api.example.test/${'a'.repeat(8192)}`;
    assertProblem(
      await sendDraft(running, bodylessDraft(clientId, { target, targetUri: target })),
      414,
      'uri_too_long',
    );
  });

  /** Fills a field up to a length with a parameter that the profile does not know. */
  const filledTo =
    (length: number) =>
    (value: string): string =>
      `${value};x="${'x'.repeat(length - value.length - 5)}"`;
  for (const field of ['signatureInputSent', 'signatureSent'] as const) {
    test(`${field}: 4,097 characters are too many, whatever they are`, async () => {
      const answer = await sendDraft(running, bodylessDraft(clientId, { [field]: filledTo(4097) }));
      assertProblem(answer, 401, 'signature_malformed');
      assert.match(String(answer.json()['reason']), /has 4097 characters, more than 4096/);
    });
  }
  test('a Signature-Input of 4,096 characters is read', async () => {
    const answer = await sendDraft(running, bodylessDraft(clientId, { signatureInputSent: filledTo(4096) }));
    assertProblem(answer, 401, 'parameters_invalid');
  });
  test('a Signature of 4,096 characters is read', async () => {
    const signatureSent = (): string => `sig=:${'A'.repeat(4088)}==:`;
    const answer = await sendDraft(running, bodylessDraft(clientId, { signatureSent }));
    assert.doesNotMatch(answer.text, /more than 4096/);
  });
});

describe('the body', () => {
  const bodyBytesMax = 1024;
  let running: RunningService;
  let clientId: string;
  before(async () => {
    running = await runService({ COUNTERSIGN_BODY_BYTES_MAX: String(bodyBytesMax) }, { nowMs });
    ({ clientId } = await running.addClient());
  });
  after(() => running.close());

  const tooLarge = ' '.repeat(bodyBytesMax + 1);
  const stranger = { ...host, Date: 'Tue, 20 Apr 2021 02:07:55 GMT' };

  test('announced beyond the limit, signed: 413 before one byte of it has come', async () => {
    const connection = await openConnection(running.port);
    connection.write(requestOf(paymentDraft(clientId, { body: tooLarge })).head);
    assertProblem(await connection.answer(), 413, 'body_too_large');
    connection.cut();
  });
  test('chunked beyond the limit, signed: 413 before its end has come', async () => {
    const connection = await openConnection(running.port);
    const { head } = requestOf(paymentDraft(clientId, { body: tooLarge, isChunked: true }));
    connection.write(`${head}${(bodyBytesMax + 1).toString(16)}\r\n${tooLarge}`);
    assertProblem(await connection.answer(), 413, 'body_too_large');
    connection.cut();
  });
  test('chunked without end: cut off', async () => {
    const connection = await openConnection(running.port);
    const { head } = requestOf(paymentDraft(clientId, { body: tooLarge, isChunked: true }));
    connection.write(head + `400\r\n${'x'.repeat(1024)}\r\n`.repeat(64));
    await connection.ended();
  });
  test('of exactly the limit, in both ways: read', async () => {
    const body = `{"amount":100,"currency":"EUR","reference":"full"}`.padEnd(bodyBytesMax);
    assert.equal(codeOf(await sendDraft(running, paymentDraft(clientId, { body }))), '201');
    assert.equal(codeOf(await sendDraft(running, paymentDraft(clientId, { body, isChunked: true }))), '201');
  });

  test("a stranger's is never waited for: 401 at once", async () => {
    for (const length of [1, bodyBytesMax, bodyBytesMax + 1, 999_999_999_999]) {
      const connection = await openConnection(running.port);
      connection.write(
        requestText('POST', '/v1/payments', { ...stranger, 'Content-Length': String(length) }),
      );
      assertProblem(await connection.answer(), 401, 'signature_missing');
      connection.cut();
    }
    const connection = await openConnection(running.port);
    connection.write(requestText('POST', '/v1/payments', { ...stranger, 'Transfer-Encoding': 'chunked' }));
    assertProblem(await connection.answer(), 401, 'signature_missing');
    connection.cut();
  });
  test('a stranger who goes on sending is cut off', async () => {
    const connection = await openConnection(running.port);
    connection.write(requestText('POST', '/v1/payments', { ...stranger, 'Content-Length': '99999999999' }));
    assertProblem(await connection.answer(), 401, 'signature_missing');
    connection.write('x'.repeat(100 * bodyBytesMax));
    assert.equal(await connection.ended(), '', 'nothing but the one answer');
  });
  test('a stranger who sends no more after the refusal is cut off too', async (t) => {
    const impatient = await runService({}, { nowMs, limits: shortLimits });
    t.after(() => impatient.close());
    const connection = await openConnection(impatient.port);
    connection.write(requestText('POST', '/v1/payments', { ...stranger, 'Content-Length': '5' }));
    const answer = await connection.answer();
    assert.ok([401, 408].includes(answer.status));
    assert.equal(await connection.ended(), '', 'nothing but the one answer');
  });

  const expecting = { Expect: '100-continue' };
  test('a stranger is never told to continue', async () => {
    const connection = await openConnection(running.port);
    connection.write(
      requestText('POST', '/v1/payments', { ...stranger, ...expecting, 'Content-Length': '5' }),
    );
    const answer = await connection.answer();
    assertProblem(answer, 401, 'signature_missing');
    assert.equal(
      answer.headers['connection'],
      'close',
      'whether the body follows is open: the connection cannot go on',
    );
    connection.write('hello');
    assert.equal(await connection.ended(), '');
  });
  test('nor is a client whose body is too large', async () => {
    const connection = await openConnection(running.port);
    connection.write(requestOf(paymentDraft(clientId, { body: tooLarge, headers: expecting })).head);
    assertProblem(await connection.answer(), 413, 'body_too_large');
    connection.cut();
  });
  test('a client whose head is in order is told to continue, and then answered', async () => {
    const connection = await openConnection(running.port);
    const headers = { ...expecting, 'Content-Type': 'application/json' };
    const { head, body } = requestOf(paymentDraft(clientId, { headers }));
    connection.write(head);
    assert.equal((await connection.answer()).status, 100);
    connection.write(body);
    assert.equal((await connection.answer()).status, 201);
    connection.cut();
  });
  test('an expectation that nobody knows is not acted upon', async () => {
    const answer = await sendDraft(running, bodylessDraft(clientId, { headers: { Expect: 'wonders' } }));
    assert.equal(answer.status, 200);
  });

  test('cut off in the middle: no trace, the same signature passes afterwards', async () => {
    const draft = paymentDraft(clientId);
    const { head, body } = requestOf({ ...draft, headers: { ...draft.headers, ...expecting } });
    const connection = await openConnection(running.port);
    connection.write(head);
    assert.equal((await connection.answer()).status, 100);
    connection.write(body.slice(0, 10));
    connection.cut();
    assert.equal(codeOf(await sendDraft(running, draft)), '201');
    assert.equal(codeOf(await sendDraft(running, draft)), 'signature_replayed');
  });
  test('ended in the middle: no trace either', async () => {
    const draft = paymentDraft(clientId);
    const { head, body } = requestOf(draft);
    const connection = await openConnection(running.port);
    connection.write(head + body.slice(0, 10));
    connection.halfClose();
    await connection.ended();
    assert.equal(codeOf(await sendDraft(running, draft)), '201');
  });
  test('broken in its coding: 400, and no trace', async () => {
    const draft = paymentDraft(clientId, { isChunked: true });
    const { head, body } = requestOf(draft);
    const connection = await openConnection(running.port);
    connection.write(head + body.replace('\r\n0\r\n', 'xx\r\n0\r\n'));
    assertProblem(await connection.answer(), 400, 'request_malformed');
    await connection.ended();
    assert.equal(codeOf(await sendDraft(running, draft)), '201');
  });
});

describe('a large body that is refused', () => {
  // More than the buffers of the system take, so that a service that does not read on makes sending fail.
  const body = 'x'.repeat(16 * 1024 * 1024);
  let running: RunningService;
  before(async () => {
    running = await runService({ COUNTERSIGN_BODY_BYTES_MAX: String(body.length) }, { nowMs });
  });
  after(() => running.close());

  const head = { ...host, 'Content-Length': String(body.length) };

  test('sent whole before the answer is read: it can be read, and the connection ends', async () => {
    const connection = await openConnection(running.port);
    await connection.send(requestText('POST', '/v1/payments', head, body));
    const answer = await connection.answer();
    assertProblem(answer, 401, 'signature_missing');
    assert.equal(answer.headers['connection'], 'close');
    assert.equal(await connection.ended(), '');
  });
  test('a short one: the connection can be used again', async () => {
    const { clientId } = await running.addClient();
    const connection = await openConnection(running.port);
    const short = { ...host, 'Content-Length': '65536' };
    connection.write(requestText('POST', '/v1/payments', short));
    const answer = await connection.answer();
    assertProblem(answer, 401, 'signature_missing');
    assert.equal(answer.headers['connection'], 'keep-alive');
    connection.write('x'.repeat(65_536) + requestOf(bodylessDraft(clientId)).head);
    assert.equal((await connection.answer()).status, 200);
    connection.cut();
  });
  for (const [name, method, headers, status] of [
    ['with Connection: close', 'POST', { ...head, Connection: 'close' }, 401],
    ['with Expect, not waiting for the 100', 'POST', { ...head, Expect: '100-continue' }, 401],
    ['from another host', 'POST', { ...head, Host: 'evil.example', Connection: 'close' }, 400],
    ['with a method that may not have one', 'DELETE', { ...head, Connection: 'close' }, 401],
  ] as const) {
    test(`${name}: it can be sent whole, and the answer be read`, async () => {
      const connection = await openConnection(running.port);
      await connection.send(requestText(method, '/v1/payments', headers, body));
      assert.equal((await connection.answer()).status, status);
      assert.equal(await connection.ended(), '');
    });
  }
  test('to a page that anybody may read: refused like any other', async () => {
    const connection = await openConnection(running.port);
    await connection.send(requestText('GET', '/live', head, body));
    assertProblem(await connection.answer(), 401, 'signature_missing');
    connection.cut();
  });
});

/** Short, so that tests need not wait long. Nothing here depends on a request being quicker than they are. */
const shortLimits = {
  ...profileListenerLimits,
  headersTimeoutMs: 200,
  requestTimeoutMs: 300,
  keepAliveTimeoutMs: 200,
};

describe('slow peers', { concurrency: true }, () => {
  let running: RunningService;
  let clientId: string;
  before(async () => {
    running = await runService({}, { nowMs, limits: shortLimits });
    ({ clientId } = await running.addClient());
  });
  after(() => running.close());

  const outcomes: [string, () => string][] = [
    ['half a head', () => 'GET /v1/whoami HTTP/1.1\r\nHost: api.example.test\r\n'],
    ['half a request line', () => 'GET /v1/wh'],
    ['a head and half a body, signed', () => requestOf(paymentDraft(clientId)).head + '{"amount":'],
    [
      'a head and half a chunk, signed',
      () => `${requestOf(paymentDraft(clientId, { isChunked: true })).head}40\r\n{"amo`,
    ],
  ];
  for (const [what, bytes] of outcomes) {
    test(`${what}, and then nothing: 408`, async () => {
      const connection = await openConnection(running.port);
      connection.write(bytes());
      assertProblem(await connection.answer(), 408, 'request_timeout');
      assert.equal(await connection.ended(), '');
    });
  }
  test('nothing at all: ended', async () => {
    const connection = await openConnection(running.port);
    await connection.ended();
  });
});

test('a connection on which nothing more comes is ended, without another answer', async (t) => {
  const limits = { ...profileListenerLimits, keepAliveTimeoutMs: 100 };
  const running = await runService({}, { nowMs, limits });
  t.after(() => running.close());
  const connection = await openConnection(running.port);
  connection.write(requestText('GET', '/live', host));
  assert.equal((await connection.answer()).status, 200);
  assert.equal(await connection.ended(), '');
});

describe('a peer that waits for its answer', () => {
  for (const [name, begin] of [
    ['before it begins', () => undefined],
    ['after its head', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
    ['in the middle', (response: ServerResponse) => response.write('first ')],
  ] as const)
    test(`is left alone, however long it takes: ${name}`, async (t) => {
      const server = createListener(shortLimits);
      t.after(() => server.close());
      attach(server, {
        onRequest: (request, response) => {
          begin(response);
          let idleCount = 0;
          request.socket.on('timeout', () => {
            idleCount += 1;
            if (idleCount === 3) response.end('at last');
          });
        },
        problemTypeBase: 'http://api.example.test/docs/errors',
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const connection = await openConnection((server.address() as AddressInfo).port);
      connection.write(requestText('GET', '/', { ...host, Connection: 'close' }));
      assert.match(await connection.ended(), /at last/);
    });
});

test('a peer that never reads is cut off', async () => {
  const server = createListener(shortLimits);
  attach(server, {
    onRequest: (_request, response) => void response.end(Buffer.alloc(32 * 1024 * 1024)),
    problemTypeBase: 'http://api.example.test/docs/errors',
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const connection = await openConnection((server.address() as AddressInfo).port);
  connection.pause();
  connection.write(requestText('GET', '/', host));
  const [socket] = await accepted;
  if (!socket.closed) await once(socket, 'close');
  connection.cut();
  server.close();
});

describe('more than one request on a connection', () => {
  const log: Record<string, unknown>[] = [];
  let running: RunningService;
  let clientId: string;
  before(async () => {
    const write = (line: string): void => void log.push(JSON.parse(line) as Record<string, unknown>);
    running = await runService({}, { nowMs }, pino({}, { write }));
    ({ clientId } = await running.addClient());
  });
  after(() => running.close());

  const payment = (headers: Record<string, string> = {}): string => {
    const draft = paymentDraft(clientId);
    const { head, body } = requestOf({ ...draft, headers: { ...draft.headers, ...headers } });
    return head + body;
  };

  test('answered in their order', async () => {
    const connection = await openConnection(running.port);
    connection.write(
      payment() +
        requestText('GET', '/v1/whoami', host) +
        requestOf(bodylessDraft(clientId)).head +
        payment(),
    );
    const statuses = [];
    for (let index = 0; index < 4; index++) statuses.push((await connection.answer()).status);
    assert.deepEqual(statuses, [201, 401, 200, 201]);
    connection.cut();
  });
  test('nonsense behind an accepted request does not take the place of its answer', async () => {
    const connection = await openConnection(running.port);
    connection.write(`${payment()}\u0000nonsense\r\n\r\n`);
    assert.equal((await connection.answer()).status, 201);
    assertProblem(await connection.answer(), 400, 'request_malformed');
    assert.equal(await connection.ended(), '');
  });
  test('nonsense in the body of a later request neither', async () => {
    const connection = await openConnection(running.port);
    const draft = paymentDraft(clientId, { isChunked: true });
    const brokenBody = requestOf(draft).body.replace('\r\n0\r\n', 'xx\r\n0\r\n');
    connection.write(payment() + requestOf(draft).head + brokenBody);
    assert.equal((await connection.answer()).status, 201);
    assertProblem(await connection.answer(), 400, 'request_malformed');
    assert.equal(await connection.ended(), '');
    assert.equal(codeOf(await sendDraft(running, draft)), '201', 'it was not used up');
  });
  test('nor in the body of a later request that is refused already', async () => {
    const connection = await openConnection(running.port);
    const unsigned = requestText(
      'POST',
      '/v1/payments',
      { ...host, 'Transfer-Encoding': 'chunked' },
      'nonsense\r\n',
    );
    connection.write(payment() + unsigned);
    assert.equal((await connection.answer()).status, 201);
    assertProblem(await connection.answer(), 401, 'signature_missing');
    assert.equal(await connection.ended(), '');
  });
  test('nonsense behind one that was said to be the last neither', async () => {
    const connection = await openConnection(running.port);
    connection.write(`${payment({ Connection: 'close' })}nonsense\r\n\r\n`);
    assert.equal((await connection.answer()).status, 201);
    await connection.ended();
  });
  test('CONNECT is refused with an answer, and logged', async () => {
    const connection = await openConnection(running.port);
    connection.write(requestText('CONNECT', 'example.com:443', { Host: 'example.com:443' }, 'hello'));
    const answer = await connection.answer();
    assertProblem(answer, 400, 'request_malformed');
    assert.equal(answer.headers['connection'], 'close');
    assert.equal(await connection.ended(), '');
    const line = log.find(({ requestId }) => requestId === answer.headers['request-id']);
    assert.deepEqual([line?.['method'], line?.['outcome']], ['CONNECT', 'request_malformed']);
  });
  test('CONNECT behind other requests does not take the place of their answers', async () => {
    const connection = await openConnection(running.port);
    const connect = requestText('CONNECT', 'example.com:443', { Host: 'example.com:443' });
    connection.write(payment() + requestText('GET', '/v1/whoami', host) + payment() + connect);
    for (const status of [201, 401, 201]) assert.equal((await connection.answer()).status, status);
    assertProblem(await connection.answer(), 400, 'request_malformed');
    assert.equal(await connection.ended(), '');
  });
  test('a peer that goes away during CONNECT ends nothing else', async () => {
    for (let round = 0; round < 20; round++) {
      const connection = await openConnection(running.port);
      connection.write(payment() + requestText('CONNECT', 'example.com:443', { Host: 'example.com:443' }));
      connection.cut();
    }
    assert.equal((await sendDraft(running, bodylessDraft(clientId))).status, 200);
  });
  test('behind a request that ends the connection nothing is heard', async () => {
    const connection = await openConnection(running.port);
    const draft = paymentDraft(clientId);
    const { head, body } = requestOf(draft);
    // Faulty framing: two readers may not agree on where the next request begins.
    connection.write(
      requestText('POST', '/v1/payments', { ...host, 'Transfer-Encoding': 'gzip, chunked' }, '0\r\n\r\n'),
    );
    connection.write(head + body);
    const answer = await connection.answer();
    assertProblem(answer, 400, 'request_malformed');
    assert.equal(answer.headers['connection'], 'close');
    assert.equal(await connection.ended(), '');
    assert.equal(codeOf(await sendDraft(running, draft)), '201', 'it was not used up');
  });
});

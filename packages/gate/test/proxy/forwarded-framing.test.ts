import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import { honest, type HostileUpstream, openHostileUpstream } from './hostile-upstream.ts';
import { type AskOptions, openRawGateway, type RawGateway, wholeText } from './raw-gateway.ts';
import { readWholeAnswer } from './whole-answer.ts';

/** One stream of bytes, and the number of its requests that may pass the framing. */
interface Vector {
  readonly id: string;
  readonly raw: string;
  readonly expect: 'reject' | 'accept' | 'safe';
  readonly requests: number;
}

const vectors = (
  JSON.parse(readFileSync(new URL('../../../../vectors/http-framing.json', import.meta.url), 'utf8')) as {
    cases: Vector[];
  }
).cases;

/** The host that the vectors name, with a route that lets unsigned requests pass: so the framing alone decides. */
const observedBaseUrl = 'http://api.example.test';

let upstream: HostileUpstream;
let gateway: RawGateway;
let observing: RawGateway;
let count = 0;

const closers: (() => unknown)[] = [];
before(async () => {
  const t = { after: (close: () => unknown) => void closers.push(close) };
  upstream = await openHostileUpstream(t);
  const upstreams = { api: { addresses: upstream.address } };
  gateway = await openRawGateway(t, { upstreams, routes: [{ path: '/**', upstream: 'api' }] });
  observing = await openRawGateway(t, {
    upstreams,
    routes: [{ path: '/**', upstream: 'api', mode: 'observe' }],
    environment: {
      COUNTERSIGN_API_BASE_URLS: observedBaseUrl,
      COUNTERSIGN_PUBLIC_BASE_URLS: 'https://console.example.test',
    },
  });
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});
beforeEach(() => {
  upstream.forget();
  upstream.behave(honest);
});

/**
 * Sends a stream and returns the statuses of all responses. Closes its side after this many responses, or
 * once a later request has its response: node:http takes an earlier close for a client that has disconnected.
 */
async function statusesOf(to: RawGateway, raw: string, answers: number): Promise<readonly number[]> {
  const socket = await to.open();
  const whole = wholeText(socket);
  const method = raw.slice(0, raw.indexOf(' '));
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (answers > 0 && statusesIn(text, method).length === answers) socket.end();
  });
  socket.write(Buffer.from(raw, 'latin1'));
  if (answers === 0) {
    await to.ask('GET', `/later/${++count}`);
    socket.end();
  }
  return statusesIn((await whole).received, method);
}

function statusesIn(text: string, method: string): readonly number[] {
  const statuses: number[] = [];
  for (let rest = text; rest !== '';) {
    const answer = readWholeAnswer(rest, method);
    if (!answer.isComplete) break;
    statuses.push(answer.status);
    ({ rest } = answer);
  }
  return statuses;
}

describe('the framing vectors', () => {
  test('are counted alike by the gateway and by the server behind it', async () => {
    const wrong: string[] = [];
    for (const { id, raw, expect, requests } of vectors) {
      upstream.forget();
      const statuses = await statusesOf(observing, raw, expect === 'accept' ? requests : 0);
      const answered = statuses.filter((status) => status === 200).length;
      const mine = upstream.requests.filter(({ target }) => !target.startsWith('/later/'));
      const arrived = mine.length;
      const isAllowed = expect === 'safe' ? arrived === 0 || arrived === requests : arrived === answered;
      const expected = expect === 'reject' ? 0 : requests;
      if (!isAllowed || (expect !== 'safe' && arrived !== expected))
        wrong.push(`${id}: ${arrived} arrived, ${answered} were answered`);
      await upstream.endAll();
      if (upstream.strays.length > 0)
        wrong.push(`${id}: ${JSON.stringify(upstream.strays)} arrived beside them`);
      for (const request of upstream.requests) {
        const lengths = request.values('content-length');
        const isExact =
          request.body === '' ? lengths.length === 0 || lengths[0] === '0' : lengths.length === 1;
        const forbidden = ['transfer-encoding', 'expect', 'trailer', 'te', 'keep-alive'];
        // A route that observes lets a request switch protocols, as it would without the gateway.
        if (!/^upgrade: websocket/im.test(raw)) forbidden.push('upgrade');
        const isOurs = forbidden.every((name) => request.values(name).length === 0);
        if (!isExact || !isOurs || request.values('connection').length !== 1)
          wrong.push(`${id}: ${request.lines.join(' | ')}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('reach nothing without a signature', async () => {
    for (const { raw } of vectors)
      await statusesOf(gateway, raw.replaceAll('api.example.test', 'shop.example.test'), 0);
    await upstream.endAll();
    assert.deepEqual(upstream.strays, []);
    assert.deepEqual(
      upstream.requests.filter(({ target }) => !target.startsWith('/later/')),
      [],
    );
    assert.equal(upstream.requests.length, vectors.length);
  });
});

describe('a request leaves with one exact length', () => {
  const body = 'POST /admin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n';
  const cases: readonly [name: string, method: string, options: AskOptions][] = [
    ['a body with a length', 'POST', { body }],
    ['a body in chunks', 'POST', { body, isChunked: true }],
    ['an empty body', 'POST', { body: '' }],
    ['an empty body in chunks', 'POST', { body: '', isChunked: true }],
    ['a body of HTTP/1.0', 'POST', { body, version: '1.0' }],
    ['a GET with a body', 'GET', { body }],
    ['a HEAD with a body', 'HEAD', { body }],
    ['a DELETE with a body in chunks', 'DELETE', { body, isChunked: true }],
    ['an OPTIONS with a body in chunks', 'OPTIONS', { body, isChunked: true }],
    ['bytes that are no text', 'PUT', { body: '\0\r\n\x7f\u00ff'.repeat(10) }],
    ['an Expect', 'POST', { body, lines: ['Expect: 100-continue'] }],
    ['an Expect of another kind', 'POST', { body, lines: ['Expect: y 100-continue'] }],
    ['two Expects', 'POST', { body, lines: ['Expect: 100-continue', 'Expect: x'] }],
    ['an Expect without a body', 'GET', { lines: ['Expect: 100-continue'] }],
    ['TE and Trailer', 'POST', { body, isChunked: true, lines: ['TE: trailers', 'Trailer: Signature'] }],
    ['Upgrade to h2c', 'POST', { body, lines: ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'] }],
  ];
  for (const [name, method, options] of cases)
    test(name, async () => {
      const answer = await gateway.ask(method, `/${++count}?a=%7E&b=|`, options);
      assert.equal(answer.status, 200, answer.body);
      const [request, ...others] = upstream.requests;
      const sent = Buffer.from(options.body ?? '').toString('latin1');
      assert.deepEqual(
        [request!.method, request!.target, request!.body],
        [method, `/${count}?a=%7E&b=|`, sent],
      );
      const isNone = sent === '' && ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method);
      assert.deepEqual(request!.values('content-length'), isNone ? [] : [String(sent.length)]);
      for (const field of [
        'transfer-encoding',
        'expect',
        'te',
        'trailer',
        'upgrade',
        'http2-settings',
        'keep-alive',
      ])
        assert.deepEqual(request!.values(field), [], field);
      assert.equal(request!.values('connection').length, 1);
      assert.deepEqual([others, upstream.strays], [[], []]);
    });

  test('trailers named like framing and signatures are not forwarded', async () => {
    const target = `/${++count}`;
    const text = gateway.text('POST', target, {
      body: 'hello',
      isChunked: true,
      lines: ['Connection: close'],
    });
    const trailers =
      'Content-Length: 99\r\nSignature: sig=:AAAA:\r\nTransfer-Encoding: gzip\r\nHost: evil\r\n';
    const socket = await gateway.open();
    const whole = wholeText(socket);
    socket.write(`${text.slice(0, -2)}${trailers}\r\n`);
    await whole;
    await upstream.endAll();
    // The gateway may reject them, but it must not pass them on.
    const [request, ...others] = upstream.requests;
    if (request) {
      assert.deepEqual([request.body, request.values('content-length')], ['hello', ['5']]);
      assert.equal(
        request.lines.some((line) => /99|AAAA|gzip|evil/.test(line)),
        false,
      );
    }
    assert.deepEqual([others, upstream.strays], [[], []]);
  });

  test('a body changed in one byte is not forwarded', async () => {
    const text = gateway.text('POST', `/${++count}`, {
      body: 'hello',
      isChunked: true,
      lines: ['Connection: close'],
    });
    const socket = await gateway.open();
    const whole = wholeText(socket);
    socket.write(text.replace('hello', 'hellO'));
    assert.equal(readWholeAnswer((await whole).received).code, 'digest_mismatch');
    assert.deepEqual(upstream.requests, []);
  });
});

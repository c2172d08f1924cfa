import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fetchLimits } from '../../src/directories/fetch-document.ts';
import { type Directory, fetchDirectory, type FetchSettings } from '../../src/directories/fetch-directory.ts';
import type { DirectoryProblem } from '../../src/directories/directory-problem.ts';
import { skipWithoutOpenssl } from './certificates.ts';
import {
  type Answering,
  newJwk,
  openScene,
  publicAddress,
  type Scene,
  send,
  serve,
  serveBytes,
} from './scene.ts';

/* Servers that answer what no directory answers. */

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const empty = '{"keys":[]}';
const entries = (count: number): string =>
  JSON.stringify({ keys: Array.from({ length: count }, () => ({})) });

/** Writes the same again and again until nobody reads it. */
const endless =
  (head: string, again: string): Answering =>
  (socket) => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(again)) continue;
    };
    socket.write(head);
    socket.on('drain', write);
    write();
  };

const answers: Readonly<Record<string, readonly [Answering, string]>> = {
  'status 204': [serveBytes(Buffer.alloc(0), {}, 204), 'status_not_ok'],
  'status 206': [serveBytes(Buffer.from(empty), { 'Content-Range': 'bytes 0-10/11' }, 206), 'status_not_ok'],
  'status 401': [serveBytes(Buffer.from(empty), {}, 401), 'status_not_ok'],
  'status 404 with keys': [serveBytes(Buffer.from(empty), {}, 404), 'status_not_ok'],
  'status 410': [serveBytes(Buffer.from(empty), {}, 410), 'status_not_ok'],
  'status 500': [serveBytes(Buffer.from(empty), {}, 500), 'status_not_ok'],
  'another protocol': [
    send('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    'status_not_ok',
  ],
  'endless interim responses': [
    endless('', 'HTTP/1.1 103 Early Hints\r\nLink: </style>\r\n\r\n'),
    'document_too_large',
  ],
  'no HTTP': [send('SSH-2.0-OpenSSH_10.0\r\n'), 'response_malformed'],
  'HTTP/0.9': [send(empty), 'response_malformed'],
  nothing: [send(''), 'response_malformed'],
  'half a head': [send(ok), 'response_malformed'],
  'an endless head': [endless(ok, `X-A: ${'a'.repeat(1000)}\r\n`), 'response_malformed'],
  'an endless header name': [endless(ok, 'a'.repeat(1000)), 'response_malformed'],
  'a head with 101 lines': [
    send(`${ok}${'a: b\r\n'.repeat(100)}Content-Length: 11\r\n\r\n${empty}`),
    'response_malformed',
  ],
  'two lengths': [
    send(`${ok}Content-Length: 11\r\nContent-Length: 12\r\n\r\n${empty}`),
    'response_malformed',
  ],
  'a length and chunks': [
    send(`${ok}Content-Length: 11\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n${empty}\r\n0\r\n\r\n`),
    'response_malformed',
  ],
  'no type': [serve(empty, { 'Content-Type': '' }), 'content_type_not_allowed'],
  'two types': [
    send(`${ok}Content-Type: text/html\r\nContent-Length: 11\r\n\r\n${empty}`),
    'content_type_not_allowed',
  ],
  'the type of a page': [serve(empty, { 'Content-Type': 'text/html' }), 'content_type_not_allowed'],
  'the type of a text': [serve(empty, { 'Content-Type': 'text/plain' }), 'content_type_not_allowed'],
  'the type of a picture': [serve(empty, { 'Content-Type': 'image/svg+xml' }), 'content_type_not_allowed'],
  'the type of an actor': [
    serve(empty, { 'Content-Type': 'application/activity+json' }),
    'content_type_not_allowed',
  ],
  'another charset': [
    serve(empty, { 'Content-Type': 'application/json; charset=utf-16' }),
    'content_type_not_allowed',
  ],
  'a packed bomb': [
    serveBytes(gzipSync(Buffer.alloc(10_000_000, ' ')), { 'Content-Encoding': 'gzip' }),
    'encoding_not_allowed',
  ],
  brotli: [serve(empty, { 'Content-Encoding': 'br' }), 'encoding_not_allowed'],
  'two codings': [serve(empty, { 'Content-Encoding': 'identity, gzip' }), 'encoding_not_allowed'],
  'a packed transfer': [
    send(`${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`),
    'encoding_not_allowed',
  ],
  'a length of 10 GB': [send(`${ok}Content-Length: 10000000000\r\n\r\n{`), 'document_too_large'],
  'one byte too much': [serve(`${empty}${' '.repeat(65_526)}`), 'document_too_large'],
  'an endless body': [endless(`${ok}\r\n{"keys":[`, '{},'.repeat(1000)), 'document_too_large'],
  'endless chunks': [
    endless(`${ok}Transfer-Encoding: chunked\r\n\r\n`, `1000\r\n${' '.repeat(4096)}\r\n`),
    'document_too_large',
  ],
  'chunks of one byte': [
    endless(`${ok}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
    'document_too_large',
  ],
  'an endless chunk extension': [
    endless(`${ok}Transfer-Encoding: chunked\r\n\r\n1;`, 'a'.repeat(1000)),
    'document_cut_off',
  ],
  'endless trailers': [
    endless(`${ok}Transfer-Encoding: chunked\r\n\r\nb\r\n${empty}\r\n0\r\n`, `X-A: ${'a'.repeat(100)}\r\n`),
    'document_cut_off',
  ],
  'a chunk with a wrong size': [
    send(`${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n${empty}\r\n0\r\n\r\n`),
    'document_cut_off',
  ],
  'less than announced': [send(`${ok}Content-Length: 100\r\n\r\n${empty}`), 'document_cut_off'],
  'no body': [serve(''), 'json_invalid'],
  'half a document': [serve('{"keys":['), 'json_invalid'],
  'a page as JSON': [serve('<html>'), 'json_invalid'],
  'other bytes than UTF-8': [serveBytes(Buffer.from([0x7b, 0xff, 0x7d])), 'json_invalid'],
  'a byte order mark': [serve(`\uFEFF${empty}`), 'json_invalid'],
  'the keys twice': [serve('{"keys":[],"keys":[]}'), 'json_invalid'],
  'the keys twice, once in other letters': [serve('{"keys":[],"\\u006beys":[]}'), 'json_invalid'],
  'a member of a key twice': [serve('{"keys":[{"kid":"a","kid":"b"}]}'), 'json_invalid'],
  '60,000 levels': [serve('['.repeat(30_000) + ']'.repeat(30_000)), 'json_invalid'],
  'levels within a key': [serve(`{"keys":[${'{"a":'.repeat(20)}1${'}'.repeat(20)}]}`), 'json_invalid'],
  'a number that readers round': [serve('{"keys":[{"exp":1e400}]}'), 'json_invalid'],
  'a list': [serve('[]'), 'document_invalid'],
  null: [serve('null'), 'document_invalid'],
  'one JWK': [serve(newJwk()), 'document_invalid'],
  'keys by name': [serve({ keys: { a: newJwk() } }), 'document_invalid'],
  '101 keys': [serve(entries(101)), 'keys_too_many'],
  '10,000 keys': [serve(entries(10_000)), 'json_invalid'],
  '100,000 keys': [serve(entries(100_000)), 'document_too_large'],
};

describe('a server that answers with', { skip: skipWithoutOpenssl }, () => {
  let scene: Scene;
  before(async () => (scene = await openScene()));
  after(() => scene.close());
  beforeEach(() => scene.reset());

  const url = 'https://agent.example/keys';
  const never = new AbortController().signal;
  const fetched = (
    settings: Partial<FetchSettings> = {},
    closing = never,
  ): Promise<Directory | DirectoryProblem> =>
    fetchDirectory(
      { form: 'key-set', url },
      { nowMs: () => 0, means: scene.means, deadline: () => never, ...settings },
      { limits: { keysMax: 100, rsaKeysMax: 10 }, known: [], closing },
    );
  const codeOf = async (...settings: Parameters<typeof fetched>): Promise<string | undefined> => {
    const result = await fetched(...settings);
    return result.ok ? undefined : result.code;
  };

  for (const [what, [answer, code]] of Object.entries(answers))
    test(what, async () => {
      scene.answer = answer;
      assert.equal(await codeOf(), code);
      assert.deepEqual([scene.targets.length, scene.requests.length], [1, 1]);
    });

  test('JSON with a fault: the message has its place, unless that is a text of the server', async () => {
    const messageFor = async (document: string): Promise<string> => {
      scene.answer = serve(document);
      const result = await fetched();
      return result.ok ? '' : result.message;
    };
    assert.match(await messageFor('{"keys":[{"kid":"a","kid":"b"}]}'), / See \/keys\/0\/kid\.$/);
    assert.match(await messageFor('{"\u202ekeys":1,"\u202ekeys":2}'), / 16 levels\.$/);
  });

  test('an answer at the limits', async () => {
    const text = JSON.stringify({ keys: Array.from({ length: 100 }, () => newJwk()) });
    scene.answer = serve(text.padEnd(65_536), { 'Content-Type': 'application/json; charset=utf-8' });
    const result = await fetched();
    assert.equal(result.ok && result.keys.length, 100);
  });

  test('an answer that never comes, part by part', async () => {
    const parts: readonly (readonly [string, string])[] = [
      ['nothing', ''],
      ['half a head', 'HTTP/1.1 200 O'],
      ['a head', `${ok}Content-Length: 11\r\n\r\n`],
      ['half a body', `${ok}Content-Length: 11\r\n\r\n{"keys"`],
    ];
    for (const [what, part] of parts) {
      const time = new AbortController();
      // Once the client has read the head, it is in the middle of the body.
      const hasHead = part.includes('\r\n\r\n');
      const abort = (): void => void setImmediate(() => time.abort());
      if (hasHead) subscribe('http.client.response.finish', abort);
      const ended = new Promise((resolve) => {
        scene.answer = (socket) => {
          socket.on('close', resolve);
          socket.write(part, () => {
            if (!hasHead) abort();
          });
        };
      });
      let ms: number | undefined;
      const deadline = (given: number): AbortSignal => {
        ms = given;
        return time.signal;
      };
      assert.equal(await codeOf({ deadline }), 'timed_out', what);
      assert.equal(ms, fetchLimits.totalMs);
      unsubscribe('http.client.response.finish', abort);
      // Nothing is left of it.
      await ended;
    }
  });

  test('a name server, a host and a handshake that never answer', async () => {
    const stuck: readonly (readonly [string, (abort: () => void) => Partial<FetchSettings['means']>])[] = [
      ['name', (abort) => ({ resolve: () => new Promise(() => abort()) })],
      [
        'handshake',
        (abort) => ({
          openSocket: (target) => {
            const socket = scene.means.openSocket(target);
            // What the client says never arrives.
            socket.write = (): boolean => true;
            socket.once('connect', abort);
            return socket;
          },
        }),
      ],
    ];
    for (const [what, means] of stuck) {
      const time = new AbortController();
      const settings = {
        deadline: () => time.signal,
        means: { ...scene.means, ...means(() => time.abort()) },
      };
      assert.equal(await codeOf(settings), 'timed_out', what);
    }
  });

  test('a certificate for another name, and one that nobody trusts', async () => {
    const other = await fetchDirectory(
      { form: 'key-set', url: 'https://other.example/keys' },
      { nowMs: () => 0, means: scene.means, deadline: () => never },
      { limits: { keysMax: 100, rsaKeysMax: 10 }, known: [], closing: never },
    );
    assert.equal(other.ok ? undefined : other.code, 'tls_failed');
    scene.useCertificate('stranger');
    assert.equal(await codeOf(), 'tls_failed');
    scene.useCertificate('server');
    assert.equal(
      await codeOf({ means: { ...scene.means, certificateAuthorities: undefined } }),
      'tls_failed',
    );
    assert.equal(scene.requests.length, 0);
  });

  test('plain text where TLS is expected, and a closed port', async () => {
    scene.names.set('agent.example', ['8.8.8.8']);
    assert.equal(await codeOf(), 'tls_failed');
    const means = { ...scene.means, openSocket: () => connect(1, '127.0.0.1') };
    assert.equal(await codeOf({ means }), 'connection_failed');
  });

  test('silence at its first address: the next one is tried, four at most', async () => {
    const opened: string[] = [];
    scene.names.set('agent.example', ['2606:4700::1', '2606:4700::2', '8.8.8.8', publicAddress, '9.9.9.9']);
    const openSocket: typeof scene.means.openSocket = (target) => {
      opened.push(target.address);
      return target.address === publicAddress ? scene.means.openSocket(target) : connect(1, '127.0.0.1');
    };
    assert.equal(await codeOf({ means: { ...scene.means, openSocket } }), undefined);
    assert.deepEqual(opened, ['8.8.8.8', '2606:4700::1', publicAddress]);
    const many = ['1.1.1.1', '1.0.0.1', '8.8.8.8', '8.8.4.4', '2606:4700::1', '2606:4700::2', '2606:4700::3'];
    for (const addresses of [many, many.slice(0, 4), many.slice(0, 5)]) {
      scene.names.set('agent.example', addresses);
      opened.length = 0;
      assert.equal(await codeOf({ means: { ...scene.means, openSocket } }), 'connection_failed');
      assert.equal(opened.length, 4);
    }
  });

  test('keys, where IPv4 is only reached through NAT64', async () => {
    const address = '64:ff9b::5db8:d822';
    scene.names.set('agent.example', [address]);
    const openSocket: typeof scene.means.openSocket = (target) => {
      assert.equal(target.address, address);
      return scene.means.openSocket({ ...target, address: publicAddress });
    };
    assert.equal(await codeOf({ means: { ...scene.means, openSocket } }), undefined);
  });

  test('nothing while the service stops', async () => {
    const closing = new AbortController();
    scene.answer = () => closing.abort();
    assert.equal(await codeOf({}, closing.signal), 'closing');
  });

  test('keys: the request says no more than necessary', async () => {
    assert.equal(await codeOf(), undefined);
    assert.deepEqual(scene.requests[0]?.split('\r\n'), [
      'GET /keys HTTP/1.1',
      'Host: agent.example',
      'Accept: application/http-message-signatures-directory+json, application/jwk-set+json;q=0.9, application/json;q=0.8',
      'Accept-Encoding: identity',
      'User-Agent: Countersign',
      'Connection: close',
      '',
      '',
    ]);
  });

  test("keys at the operator's own origin, on this machine and another port", async () => {
    const settings: FetchSettings = {
      nowMs: () => 0,
      trustedOrigins: new Set([scene.realOrigin]),
      means: { certificateAuthorities: scene.means.certificateAuthorities },
    };
    const fetch = (origin: string): Promise<Directory | DirectoryProblem> =>
      fetchDirectory(
        { form: 'key-set', url: `${origin}/keys` },
        { ...settings, trustedOrigins: new Set([origin]) },
        { limits: { keysMax: 100, rsaKeysMax: 10 }, known: [], closing: never },
      );
    scene.answer = serve({ keys: [newJwk()] });
    for (const origin of [scene.realOrigin, scene.realOrigin.replace('127.0.0.1', 'localhost')]) {
      const result = await fetch(origin);
      assert.equal(result.ok && result.keys.length, 1);
    }
  });
});

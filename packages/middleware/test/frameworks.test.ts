import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createVerifier, type VerifierOptions } from '@countersign/middleware';
import { MemoryReplayGuard } from '@countersign/signature/node';
import { openConnection, requestText } from '@countersign/testing/raw-connection';
import type { WireAnswer } from '@countersign/testing/wire';
import { type Echo, frameworks, type Listening, mountedPath, type StartFramework } from './frameworks.ts';
import { baseUrl, bytesOf, clientId, sendSigned, shop, signedRequest } from './scene.ts';
import { exchange } from './wire.ts';

type Record = Parameters<NonNullable<VerifierOptions['onRequest']>>[0];

const order = JSON.stringify({ amount: 1250, text: 'größer' });

/** A server with records and errors of its own. */
class Scene {
  readonly records: Record[] = [];
  readonly errors: unknown[] = [];
  readonly #start: StartFramework;
  readonly #options: Parameters<StartFramework>[1];
  #server: Listening | undefined;

  constructor(start: StartFramework, options: Parameters<StartFramework>[1] = {}) {
    this.#start = start;
    this.#options = options;
  }

  async open(): Promise<void> {
    const verifier = createVerifier({
      baseUrls: [baseUrl],
      findClient: (named) => (named === clientId ? shop : undefined),
      guard: new MemoryReplayGuard(),
      bodyBytesMax: 90_000,
      onRequest: (record) => this.records.push(record),
      onError: (error) => this.errors.push(error),
    });
    this.#server = await this.#start(verifier, this.#options);
  }

  get port(): number {
    return this.#server!.port;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}

function echoOf(answer: WireAnswer): Echo {
  assert.equal(answer.verdict, 'ok', answer.text);
  return JSON.parse(answer.text) as Echo;
}

function assertEchoes(answer: WireAnswer, body: string): void {
  const { clientId: proved, bytes, parsed, roles, requestId } = echoOf(answer);
  assert.deepEqual([proved, roles], [clientId, ['buyer']]);
  assert.equal(Buffer.from(bytes, 'base64').toString(), body);
  assert.deepEqual(parsed, body === '' ? null : JSON.parse(body));
  assert.equal(answer.headers['request-id'], requestId);
}

for (const [name, start] of Object.entries(frameworks)) {
  describe(name, () => {
    const scene = new Scene(start);
    before(() => scene.open());
    after(() => scene.close());

    test("hands on the client, the raw body, and the same body to the framework's own parser", async () => {
      assertEchoes(await sendSigned(scene.port, { body: order }), order);
    });

    test('reads a body that comes in chunks', async () => {
      const chunks = [order.slice(0, 3), order.slice(3)];
      assertEchoes(await sendSigned(scene.port, { body: order, chunks }), order);
    });

    test('reads a body that comes in pieces, later than its head', async () => {
      const long = JSON.stringify('x'.repeat(70_000));
      const connection = await openConnection(scene.port);
      connection.write(bytesOf({ ...signedRequest({ body: long }), body: '' }));
      for (let sentBytes = 0; sentBytes < long.length; sentBytes += 30_000) {
        await new Promise((resolve) => setImmediate(resolve));
        await connection.send(long.slice(sentBytes, sentBytes + 30_000));
      }
      const answer = await connection.answer();
      connection.cut();
      assert.equal(answer.status, 200);
      assert.equal((answer.json() as unknown as Echo).parsed, JSON.parse(long));
    });

    test('reads a GET without a body, and one with', async () => {
      assertEchoes(await sendSigned(scene.port, { method: 'GET', path: '/things?a=1' }), '');
      const answer = await sendSigned(scene.port, { method: 'GET', path: '/things?a=2', body: order });
      assert.equal(Buffer.from(echoOf(answer).bytes, 'base64').toString(), order);
    });

    test('takes an empty body, announced or in chunks, for none', async () => {
      assertEchoes(await sendSigned(scene.port, { headers: [['Content-Length', '0']] }), '');
      // Announced with a type, so that the framework's parser looks for a body.
      const headers = [['Content-Type', 'text/plain']] as const;
      const answer = await sendSigned(scene.port, { path: '/things?b', chunks: [], headers });
      assert.equal(echoOf(answer).bytes, '');
      const connection = await openConnection(scene.port);
      connection.write(bytesOf({ ...signedRequest({ chunks: [], headers }), body: '' }));
      await new Promise((resolve) => setImmediate(resolve));
      await connection.send('0\r\n\r\n');
      assert.equal((await connection.answer()).status, 200);
      connection.cut();
    });

    test('refuses a body above the limit, announced or not, and answers what comes afterwards', async () => {
      const tooLong = JSON.stringify('x'.repeat(95_000));
      const chunks = [tooLong.slice(0, 50_000), tooLong.slice(50_000)];
      for (const sending of [{ body: tooLong }, { body: tooLong, chunks }])
        assert.equal((await sendSigned(scene.port, sending)).verdict, 'body_too_large');
    });

    test('refuses a changed body', async () => {
      const body = order.replace('1250', '9250');
      const answer = await exchange(scene.port, { ...signedRequest({ body: order }), body });
      assert.equal(answer.verdict, 'digest_mismatch');
    });

    test('keeps the connection through accepted and refused requests', async () => {
      const connection = await openConnection(scene.port);
      const verdicts: unknown[] = [];
      for (const change of ['', 'x', '']) {
        connection.write(bytesOf(signedRequest({ body: order, target: (signed) => signed + change })));
        verdicts.push((await connection.answer()).status);
      }
      connection.cut();
      assert.deepEqual(verdicts, [200, 401, 200]);
    });

    test('verifies the target as it came: mounted, in absolute form, with what a URL parser changes', async () => {
      assertEchoes(await sendSigned(scene.port, { path: `${mountedPath}?d=%7e`, body: order }), order);
      const absolute = (target: string): string => baseUrl + target;
      assertEchoes(await sendSigned(scene.port, { target: absolute, body: order }), order);
      const odd = '/a/../things?f=%c3%a9&g=h+i';
      assertEchoes(await sendSigned(scene.port, { path: odd, body: order }), order);
      // The same place for a URL parser, but not the signed text.
      const plain = (target: string): string => target.replace('/a/..', '');
      const changed = await sendSigned(scene.port, { path: odd, target: plain, body: order });
      assert.equal(changed.verdict, 'signature_invalid');
    });

    test('refuses a target elsewhere and a second Host, before anything else', async () => {
      const elsewhere = await sendSigned(scene.port, { target: () => 'https://evil.example/things' });
      const twoHosts = await sendSigned(scene.port, { headers: [['Host', 'api.example.test']] });
      const foreign = await exchange(scene.port, {
        method: 'GET',
        target: '/',
        headers: [['Host', 'evil.example']],
      });
      // Either Node itself rejects a second Host, or the gate does.
      assert.deepEqual(
        [elsewhere, twoHosts, foreign].map(({ status }) => status),
        [400, 400, 400],
      );
      assert.equal(foreign.verdict, 'request_malformed');
    });

    test('lets no signature pass twice but an equal read', async () => {
      for (const [method, again] of [
        ['POST', 'signature_replayed'],
        ['GET', 'ok'],
      ] as const) {
        const request = signedRequest({ method });
        assert.equal((await exchange(scene.port, request)).verdict, 'ok');
        assert.equal((await exchange(scene.port, request)).verdict, again);
      }
    });

    test('never waits for the body of a stranger', async () => {
      const connection = await openConnection(scene.port);
      connection.write(
        requestText('POST', '/things', { Host: 'api.example.test', 'Content-Length': '80000' }),
      );
      const { status, headers } = await connection.answer();
      connection.cut();
      assert.deepEqual([status, headers['www-authenticate']], [401, 'Signature error="signature_missing"']);
    });

    test('ignores what stands behind a request whose end is in doubt', async () => {
      const earlier = scene.records.length;
      const connection = await openConnection(scene.port);
      const doubtful = { Host: 'api.example.test', 'Transfer-Encoding': 'gzip, chunked' };
      const behind = bytesOf(signedRequest({ method: 'GET' }));
      connection.write(
        Buffer.concat([Buffer.from(`${requestText('POST', '/things', doubtful)}0\r\n\r\n`), behind]),
      );
      const received = await connection.ended();
      assert.equal(received.match(/^HTTP\/1\.1 /gm)?.length, 1, received);
      assert.match(received, /^HTTP\/1\.1 400 [^]*request_malformed/);
      assert.equal(scene.records.length, earlier + 1);
    });

    test('records each request once, with its client and its status', async () => {
      const earlier = scene.records.length;
      await sendSigned(scene.port, { body: order });
      await exchange(scene.port, { method: 'HEAD', target: '/x?y', headers: [['Host', 'api.example.test']] });
      const [accepted, refused, ...others] = scene.records.slice(earlier);
      assert.deepEqual(
        [accepted?.outcome, accepted?.status, accepted?.clientId],
        ['accepted', 200, clientId],
      );
      assert.deepEqual([refused?.outcome, refused?.status, refused?.path], ['signature_missing', 401, '/x']);
      assert.deepEqual([others, scene.errors], [[], []]);
    });
  });

  describe(`${name}, set up wrongly or with a bug`, () => {
    const hasParsers = name !== 'node:http';
    if (hasParsers)
      test('answers 500 when a parser came first, and calls no handler', async (t) => {
        const scene = new Scene(start, { parserFirst: true });
        t.after(() => scene.close());
        await scene.open();
        const { status, text } = await sendSigned(scene.port, { body: order });
        assert.deepEqual([status, text.includes(clientId)], [500, false]);
      });

    test('answers 500 when the handler throws, and goes on', async (t) => {
      const scene = new Scene(start, { handlerFails: true });
      t.after(() => scene.close());
      await scene.open();
      for (let count = 0; count < 2; count += 1)
        assert.equal((await sendSigned(scene.port, { body: order })).status, 500);
      assert.deepEqual(
        scene.records.map(({ outcome, status }) => [outcome, status]),
        [
          ['accepted', 500],
          ['accepted', 500],
        ],
      );
    });

    test('keeps the connection when the handler ignores the body', async (t) => {
      const scene = new Scene(start, { bodyIsIgnored: true });
      t.after(() => scene.close());
      await scene.open();
      const connection = await openConnection(scene.port);
      for (let count = 0; count < 3; count += 1) {
        connection.write(bytesOf(signedRequest({ body: order })));
        assert.equal((await connection.answer()).status, 200);
      }
      connection.cut();
    });
  });
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { openConnection } from '@countersign/testing/raw-connection';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { BaseUrls } from '../../src/http/base-urls.ts';
import { readBody } from '../../src/http/body.ts';
import { readFrame } from '../../src/http/framing.ts';
import { attach, createListener } from '../../src/http/listener.ts';

/** One stream of bytes, and the number of its requests that may pass the framing. */
interface Vector {
  readonly id: string;
  readonly title: string;
  /** One code point up to U+00FF for each byte. */
  readonly raw: string;
  readonly expect: 'reject' | 'accept' | 'safe';
  readonly requests: number;
}

const vectors = (
  JSON.parse(readFileSync(new URL('../../../../vectors/http-framing.json', import.meta.url), 'utf8')) as {
    cases: Vector[];
  }
).cases;

test('there are 133 streams', () => {
  assert.equal(vectors.length, 133);
});

describe('listener and framing in front of a handler that counts', () => {
  const baseUrls = new BaseUrls([{ baseUrls: ['http://api.example.test'], door: undefined }]);
  const countByPort = new Map<number, number>();
  const running = new Set<Promise<void>>();
  const server = createListener();
  attach(server, {
    onRequest: (request, response, options) => {
      const work = answer(request, response, options?.expectsContinue === true).finally(() =>
        running.delete(work),
      );
      running.add(work);
    },
    problemTypeBase: 'http://api.example.test/docs/errors',
  });

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ): Promise<void> {
    const port = request.socket.remotePort!;
    const frame = readFrame(request, baseUrls);
    if (!frame.ok) {
      if (frame.endsConnection === true) response.shouldKeepAlive = false;
      response.writeHead(400).end();
      return;
    }
    if (expectsContinue) response.writeContinue();
    const { outcome } = await readBody(request, 1_048_576);
    if (outcome === 'complete') countByPort.set(port, (countByPort.get(port) ?? 0) + 1);
    response.writeHead(200).end();
  }

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  test('lets exactly those requests through that each stream may send', async () => {
    const { port } = server.address() as AddressInfo;
    const wrong: string[] = [];
    await inBatches(vectors, async ({ id, title, raw, expect, requests }) => {
      const connection = await openConnection(port);
      connection.write(raw);
      connection.halfClose();
      await connection.ended();
      await Promise.all(running);
      const count = countByPort.get(connection.localPort) ?? 0;
      const isRight =
        expect === 'safe'
          ? count === 0 || count === requests
          : count === (expect === 'reject' ? 0 : requests);
      if (!isRight) wrong.push(`${id} (${title}): ${count} requests, ${expect} ${requests}`);
    });
    assert.deepEqual(wrong, []);
  });
});

describe('the whole service', () => {
  const baseUrl = 'http://api.example.test';
  const codesBeforeAnyClient = [
    'request_malformed',
    'uri_too_long',
    'headers_too_large',
    'signature_missing',
  ];
  let running: RunningService;
  before(async () => {
    running = await runService({ COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl });
  });
  after(() => running.close());

  test('lets none of them through, and goes on serving', async () => {
    const { clientId, signer } = await running.addClient();
    const wrong: string[] = [];
    await inBatches(vectors, async ({ id, raw }) => {
      const connection = await openConnection(running.port);
      connection.write(raw);
      connection.halfClose();
      const answers = await connection.ended();
      const statuses = [...answers.matchAll(/HTTP\/1\.\d (\d+) /g)].map((match) => Number(match[1]));
      const codes = [...answers.matchAll(/"code":"(\w+)"/g)].map((match) => match[1]!);
      const isRefused =
        statuses.every((status) => status >= 400) &&
        codes.every((code) => codesBeforeAnyClient.includes(code));
      if (!isRefused) wrong.push(`${id}: ${statuses.join()} ${codes.join()}`);
    });
    assert.deepEqual(wrong, []);

    const url = `${baseUrl}/v1/whoami`;
    const { headers } = signer.sign({ method: 'GET', url });
    const answer = await running.send({ method: 'GET', url: '/v1/whoami', headers: { ...headers } });
    assert.equal(answer.json()['clientId'], clientId);
  });
});

async function inBatches<Value>(
  values: readonly Value[],
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const size = 16;
  for (let start = 0; start < values.length; start += size) {
    await Promise.all(values.slice(start, start + size).map(work));
  }
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { openProtectedApi, type Received } from '@countersign/testing/protected-api';
import { publishedKeyPair } from '@countersign/testing/running-service';
import { randomRequests } from '../../../test/signers/random-requests.ts';
import { startProxy } from './proxy-scene.ts';

const requests = 1000;
const connections = 16;

/** A request as bytes. Every fourth body goes in two chunks. */
function bytesOf(
  { id, method, url, headers, body }: ReturnType<typeof randomRequests>[number],
  host: string,
): Buffer {
  const content = body === null ? undefined : Buffer.from(body, 'base64');
  const isChunked = content !== undefined && content.length > 1 && id % 4 === 0;
  const lines = [
    `${method} ${url.slice(url.indexOf('/', 'http://'.length))} HTTP/1.1`,
    `Host: ${host}`,
    `X-Number: ${id}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content === undefined || isChunked ? [] : [`Content-Length: ${content.length}`]),
    ...(isChunked ? ['Transfer-Encoding: chunked'] : []),
    'X-Twice: a',
    'x-twice: b  c',
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  if (content === undefined) return head;
  if (!isChunked) return Buffer.concat([head, content]);
  const chunks = [content.subarray(0, 1), content.subarray(1)];
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([head, ...framed, Buffer.from('0\r\n\r\n')]);
}

/** Sends requests one after the other on one connection, and returns the status of each response. */
async function sendInTurn(port: number, bytes: readonly Buffer[]): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1');
  const statuses: string[] = [];
  let received = '';
  let wake = (): void => undefined;
  socket.setEncoding('latin1').on('data', (more: string) => {
    received += more;
    wake();
  });
  socket.on('close', () => wake());
  await once(socket, 'connect');
  for (const one of bytes) {
    received = '';
    socket.write(one);
    // The API ends each response with this, except for HEAD and rejections.
    const isHead = one.subarray(0, 5).toString() === 'HEAD ';
    while (
      !(isHead ? received.includes('\r\n\r\n') : /\r\n\r\n[^]*(?:\r\n0\r\n\r\n|the end)$/.test(received))
    ) {
      if (socket.readyState !== 'open') throw new Error(`the connection ended after: ${received}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    statuses.push(received.slice('HTTP/1.1 '.length, 12));
  }
  socket.destroy();
  return statuses;
}

describe('countersign proxy in front of the service', () => {
  it(`lets ${requests} random requests arrive as they were sent`, async (t) => {
    const apiPort = await freePort();
    const target = `http://127.0.0.1:${apiPort}`;
    const keyPair = publishedKeyPair('rsa-2048-a');
    const api = await openProtectedApi(t, {
      environment: {
        COUNTERSIGN_API_PORT: String(apiPort),
        COUNTERSIGN_API_BASE_URLS: target,
        COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '10000000',
        COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '1000000',
      },
      client: { keyPair },
      answer: (_request, response) => response.end('the end'),
    });
    const { port } = await startProxy(t, {
      target,
      clientId: api.clientId,
      privateKey: keyPair.privateKey,
      argv: ['--quiet'],
    });
    const sent = randomRequests('raw', { baseUrl: target, count: requests, seed: 4 });
    const turns = Array.from({ length: connections }, (_, turn) =>
      sent.filter(({ id }) => id % connections === turn),
    );
    const host = `127.0.0.1:${port}`;
    const statuses = await Promise.all(
      turns.map((turn) =>
        sendInTurn(
          port,
          turn.map((one) => bytesOf(one, host)),
        ),
      ),
    );
    const answered = new Map(
      turns.flatMap((turn, index) => turn.map(({ id }, at) => [id, statuses[index]![at]])),
    );
    const refused = sent
      .filter(({ id }) => answered.get(id) !== '200')
      .map(({ id, method, url }) => `${answered.get(id)} ${method} ${url} ${id}`);
    assert.deepEqual(refused, []);
    assert.equal(api.received.length, requests);
    const arrived = new Map(api.received.map((one) => [Number(one.values('x-number')[0]), one]));
    const differences = sent.flatMap((request) => {
      const one = arrived.get(request.id)!;
      return sameAs(one, request)
        ? []
        : [`${request.method} ${request.url} arrived as ${one.method} ${one.target}`];
    });
    assert.deepEqual(differences, []);
  });
});

function sameAs(
  arrived: Received,
  { method, url, headers, body }: ReturnType<typeof randomRequests>[number],
): boolean {
  return (
    arrived.method === method &&
    arrived.target === url.slice(url.indexOf('/', 'http://'.length)) &&
    Buffer.from(arrived.body, 'latin1').equals(Buffer.from(body ?? '', 'base64')) &&
    headers.every(([name, value]) => arrived.values(name.toLowerCase()).includes(value)) &&
    arrived.values('x-twice').join('|') === 'a|b  c'
  );
}

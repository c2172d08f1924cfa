import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { openProtectedApi, type ProtectedApi } from '@countersign/testing/protected-api';
import { openConnection, requestText } from '@countersign/testing/raw-connection';
import { apiBaseUrl, baseUrl, runService } from '@countersign/testing/running-service';
import { profileListenerLimits } from '../../src/http/listener.ts';

/** A POST whose body is so many bytes, whatever its signature says. */
interface LargeRequest {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
}

/** What a client has read: the status, the header `Connection`, and the problem's code. */
type Read = readonly [status: number, connection: string, code: string];

const python = `
import http.client, json, sys
a = json.loads(sys.argv[1])
c = http.client.HTTPConnection('127.0.0.1', a['port'], timeout=60)
c.request('POST', a['path'], body=b'x' * a['bytes'], headers=a['headers'])
r = c.getresponse()
print(json.dumps([r.status, r.getheader('connection'), json.loads(r.read())['code']]))
`;

async function askByCurl({ port, path, headers, bytes }: LargeRequest, more: string[] = []): Promise<Read> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const url = `http://127.0.0.1:${port}${path}`;
  const format = '\\n%{http_code} %header{connection}';
  const text = await outputOf(
    'curl',
    ['-sS', ...lines, ...more, '--data-binary', '@-', '-w', format, url],
    bytes,
  );
  const [problem = '', told = ''] = text.split('\n');
  const [status = '', connection = ''] = told.split(' ');
  return [Number(status), connection, (JSON.parse(problem) as { code: string }).code];
}

const clients: Readonly<
  Record<string, { readonly skip: string | false; ask(sent: LargeRequest): Promise<Read> }>
> = {
  "Python's http.client": {
    skip: missing('python3'),
    ask: async (sent) =>
      JSON.parse(await outputOf('python3', ['-c', python, JSON.stringify(sent)], 0)) as Read,
  },
  curl: { skip: missing('curl'), ask: (sent) => askByCurl(sent, ['-H', 'Expect:']) },
  'curl, which expects 100': { skip: missing('curl'), ask: (sent) => askByCurl(sent) },
  'node:http': {
    skip: false,
    ask: ({ port, path, headers, bytes }) =>
      new Promise((resolve, reject) => {
        const options = { port, path, method: 'POST', headers: { ...headers, 'Content-Length': bytes } };
        const outgoing = request({ host: '127.0.0.1', agent: false, ...options }, (incoming) => {
          let text = '';
          incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const { code } = JSON.parse(text) as { code: string };
            resolve([incoming.statusCode!, incoming.headers.connection!, code]);
          });
        });
        outgoing.on('error', reject);
        outgoing.end(Buffer.alloc(bytes, 'x'));
      }),
  },
};

describe('the refusal of a large body arrives', () => {
  let api: ProtectedApi;
  let close: () => unknown;
  before(async () => {
    const environment = { COUNTERSIGN_BODY_BYTES_MAX: '100000' };
    api = await openProtectedApi({ after: (work) => (close = work as () => unknown) }, { environment });
  });
  after(() => close());

  for (const [name, client] of Object.entries(clients)) {
    test(`at ${name}, and says that the connection ends`, { skip: client.skip }, async () => {
      const { running, signer } = api;
      const places = [
        { port: running.port, base: baseUrl, path: '/v1/payments' },
        { port: Number(new URL(running.service.apiAddress!).port), base: apiBaseUrl, path: '/upload' },
      ];
      for (const [place, { port, base, path }] of places.entries()) {
        for (const mebibytes of place === 0 ? [1, 8] : [1, 8, 64]) {
          const sent = { port, path, bytes: mebibytes * 1_048_576, headers: { Host: new URL(base).host } };
          const what = `${mebibytes} MiB to ${base}`;
          assert.deepEqual(await client.ask(sent), [401, 'close', 'signature_missing'], what);
          // The length decides before the digest does.
          const signed = signer.sign({ method: 'POST', url: base + path, body: String(mebibytes) }).headers;
          const headers = { ...sent.headers, ...signed };
          const expected =
            base === baseUrl ? [403, 'close', 'permission_denied'] : [413, 'close', 'body_too_large'];
          assert.deepEqual(await client.ask({ ...sent, headers }), expected, what);
        }
      }
    });
  }
});

describe('what comes after the last answer', () => {
  const head = { Host: new URL(baseUrl).host, 'Content-Length': '99999999999' };
  const limits = { ...profileListenerLimits, lingerBytesMax: 4_194_304, lingerQuietMs: 200 };

  test('is read up to a limit', async (t) => {
    const running = await runService({}, { limits });
    t.after(() => running.close());
    const connection = await openConnection(running.port);
    connection.write(requestText('POST', '/v1/payments', head));
    const answer = await connection.answer();
    assert.deepEqual([answer.status, answer.headers['connection']], [401, 'close']);
    await assert.rejects(async () => {
      // Beyond what the buffers of the system take as well.
      for (let sent = 0; sent < 256; sent++) await connection.send('x'.repeat(1_048_576));
    }, /EPIPE|ECONNRESET|destroyed/);
  });

  test('is awaited for a while only', async (t) => {
    const running = await runService({}, { limits });
    t.after(() => running.close());
    const agent = request({ port: running.port, method: 'POST', path: '/v1/payments', headers: head });
    agent.on('error', () => undefined);
    agent.flushHeaders();
    const [socket] = (await once(agent, 'socket')) as [Socket];
    if (!socket.closed) await once(socket, 'close');
  });
});

function missing(program: string): string | false {
  return spawnSync(program, ['--version']).status === 0 ? false : `not installed: ${program}`;
}

/** Runs a program with so many bytes of input and resolves with its output. */
async function outputOf(program: string, args: readonly string[], inputBytes: number): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  // A program that has its answer need not read the rest.
  child.stdin.on('error', () => undefined);
  child.stdin.end(Buffer.alloc(inputBytes, 'x'));
  await once(child, 'close');
  assert.equal(errors, '', program);
  return output.trim();
}

/**
 * One of the servers that `bench/gateway.ts` compares, in a process of its own:
 *
 * - `api`: responds to every request with a little JSON;
 * - `bare ADDRESS`: a proxy on the client library of the gateway that copies headers and checks nothing;
 * - `crypto ADDRESS`: the same, with one RSA verification of a ready base for each request;
 * - `gateway ADDRESS [THREADS]`: the service as it is, with its log and its request log;
 * - `yes`: an authorizer that accepts everything;
 * - `authorizer ADDRESS`: the service again, as nginx asks it.
 *
 * The variable BENCH_CLIENTS has the service's clients with their public keys, as JSON.
 */
import { once } from 'node:events';
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dispatcher, Pool } from 'undici';
import { loadConfiguration } from '../packages/server/src/configuration/load-at-once.ts';
import { openLocalRegistry } from '../packages/server/src/registry/local-registry.ts';
import { startService } from '../packages/server/src/assembly/service.ts';
import { createLogger } from '../packages/server/src/telemetry/logger.ts';
import { serveUntilStopped } from './child.ts';
import { baseUrl } from './signed-requests.ts';

const hopByHop = /^(?:connection|keep-alive)$/i;
const [kind = '', address = '', threads = '1'] = process.argv.slice(2);
const servers: Readonly<Record<string, () => Promise<void>>> = {
  api: () => serve(answerAsApi),
  bare: () => serve(forwardBare(() => undefined)),
  crypto: () => serve(forwardBare(oneVerification())),
  gateway: () => serveService({ COUNTERSIGN_THREADS: threads }),
  yes: () => serve((_, response) => void response.writeHead(200, { 'Content-Length': 0 }).end()),
  authorizer: () => serveService({ COUNTERSIGN_AUTHORIZERS: '{"nginx":{"from":["127.0.0.1"]}}' }),
};
await servers[kind]!();
process.exit(0);

async function serve(listener: RequestListener): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await serveUntilStopped((server.address() as AddressInfo).port);
}

async function serveService(settings: Readonly<Record<string, string>>): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const registry = await openLocalRegistry({ dataFolder, createIfMissing: true });
  for (const client of JSON.parse(process.env['BENCH_CLIENTS']!) as {
    clientId: string;
    publicKey: string;
  }[]) {
    const network = [{ entry: '127.0.0.1' }];
    await registry.addClient({ name: client.clientId, ...client, network, roles: ['api-user'] });
  }
  await registry.close();
  const configuration = loadConfiguration({
    COUNTERSIGN_PORT: '0',
    COUNTERSIGN_DATA_FOLDER: dataFolder,
    COUNTERSIGN_PUBLIC_BASE_URLS: 'https://console.example.com',
    COUNTERSIGN_API_BASE_URLS: baseUrl,
    COUNTERSIGN_UPSTREAM: address,
    // One client makes all requests; its limit is checked, but never reached.
    COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '10000000',
    COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '10000000',
    ...settings,
  });
  const service = await startService(configuration, createLogger('info', join(dataFolder, 'log.jsonl')));
  await serveUntilStopped(Number(new URL(service.authorizerAddress ?? service.apiAddress!).port));
  await service.stop();
  rmSync(dataFolder, { recursive: true, force: true });
}

function answerAsApi(...[, response]: Parameters<RequestListener>): void {
  const body = '{"id":"invoice_1","state":"paid","amount":1200}';
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

/** Verifies one signature repeatedly: the least work that any gateway must do. */
function oneVerification(): () => void {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const base = Buffer.alloc(250, 'a line of a signature base');
  const signature = sign('sha256', base, privateKey);
  return () => {
    if (!verify('sha256', base, publicKey, signature)) throw new Error('must verify');
  };
}

function forwardBare(check: () => void): RequestListener {
  // The same as the gateway's.
  const pool = new Pool(address, {
    connections: 128,
    pipelining: 1,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 60_000,
  });
  return ({ url = '', method = '', rawHeaders }, response) => {
    check();
    const onResponseStart = (controller: Dispatcher.DispatchController, status: number): void => {
      const raw = controller.rawHeaders as readonly Buffer[];
      response.writeHead(status, copied(raw.map((text) => text.toString('latin1'))));
    };
    pool.dispatch(
      { path: url, method, headers: copied(rawHeaders) },
      {
        onRequestStart: () => undefined,
        onResponseStart,
        onResponseData: (_, chunk) => void response.write(chunk),
        onResponseEnd: () => void response.end(),
        onResponseError: () => response.destroy(),
      },
    );
  };
}

function copied(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!hopByHop.test(rawHeaders[index]!)) headers.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  return headers;
}

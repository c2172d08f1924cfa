import { createServer, type IncomingMessage, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createVerificationKey,
  MemoryReplayGuard,
  type MemoryReplayGuardOptions,
  verifyRequest,
} from '@countersign/signature/node';
import { Agent, type Dispatcher } from 'undici';
import { problems, type ProblemCode } from '../../contract/src/problems.ts';
import { clientId, publicKeyPem } from './keys.ts';
import { type LosingHop, openLosingHop } from './losing-hop.ts';

/** A request as received, byte for byte, and a service's verdict on it. */
export interface Received {
  readonly method: string;
  /** `https://` or the scheme of the lab, the `Host` header and the raw target. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** `accepted`, or the code of the rejection. */
  readonly verdict: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A server that verifies the requests it receives, and clients' connections that all end there, whatever URL
 * is called.
 */
export interface Lab {
  readonly received: Received[];
  readonly port: number;
  /** The path of all connections. */
  readonly hop: LosingHop;
  /** Responds to a request; the default accepts and rejects as the service does. */
  respond: (request: Received) => Answer | undefined;
  /** The clock of the server, in milliseconds. */
  nowMs: () => number;
  readonly dispatcher: Dispatcher;
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  /** Forgets the requests and settings of the last test. */
  reset(): void;
  close(): Promise<void>;
}

export async function openLab(options: MemoryReplayGuardOptions = {}): Promise<Lab> {
  const key = createVerificationKey(publicKeyPem, { allowPublishedTestKeys: true });
  const clients = new Map([[clientId, { keys: [key] }]]);
  const guard = new MemoryReplayGuard(options);
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const headers = pairsOf(request.rawHeaders);
      const url = `https://${request.headers.host}${request.url}`;
      const result = verifyRequest(
        { method: request.method!, targetUri: url, headers: request.rawHeaders, body },
        { clientByKeyid: (id) => clients.get(id), guard, nowSeconds: () => lab.nowMs() / 1000 },
      );
      const verdict = result.ok ? 'accepted' : result.code;
      const one: Received = { method: request.method!, url, headers, body, verdict };
      received.push(one);
      const answer = lab.respond(one) ?? usualAnswer(one, lab.nowMs());
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hop = await openLosingHop(port);
  const reach = (): Socket => connect(hop.port, '127.0.0.1');
  const dispatcher = new Agent({
    connections: 1,
    connect: (_options, callback) => {
      const socket = reach();
      socket.once('connect', () => callback(null, socket)).once('error', (error) => callback(error, null));
    },
  });
  // Connections are used again, as in production: a body without a length would become the next request there.
  const kept = { keepAlive: true, maxSockets: 1 };
  const httpAgent = new (class extends HttpAgent {
    override createConnection(): Duplex {
      return reach();
    }
  })(kept);
  const httpsAgent = new (class extends HttpsAgent {
    override createConnection(): Duplex {
      return reach();
    }
  })(kept);
  const lab: Lab = {
    received,
    port,
    hop,
    respond: () => undefined,
    nowMs: Date.now,
    dispatcher,
    httpAgent,
    httpsAgent,
    reset() {
      received.length = 0;
      lab.respond = () => undefined;
      lab.nowMs = Date.now;
      hop.losses = 0;
    },
    async close() {
      await dispatcher.destroy();
      httpAgent.destroy();
      httpsAgent.destroy();
      await hop.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return lab;
}

function usualAnswer({ verdict, body }: Received, nowMs: number): Answer {
  if (verdict !== 'accepted') return problemAnswer(verdict as ProblemCode, nowMs);
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: `{"bytes":${body.length}}` };
}

/** The response of a service that rejects a request. */
export function problemAnswer(
  code: ProblemCode,
  nowMs: number = Date.now(),
  members: Readonly<Record<string, unknown>> = {},
): Answer {
  const { status, title, detail } = problems[code];
  const isAboutTime = /^(created|date)_/.test(code);
  const problem = {
    type: `https://api.example.test/docs/errors#${code}`,
    title,
    status,
    detail,
    code,
    reason: 'the reason of the lab',
    requestId: 'request_01m7xpht4ya6hy6swme76qzc7p',
    ...(isAboutTime && { serverTime: new Date(nowMs).toISOString() }),
    ...members,
  };
  const headers = { 'Content-Type': 'application/problem+json' };
  return { status, headers, body: JSON.stringify(problem) };
}

/** The value of a header of a received request. */
export function headerOf({ headers }: Received, name: string): string | undefined {
  return headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    pairs.push([rawHeaders[index]!, rawHeaders[index + 1]!]);
  return pairs;
}

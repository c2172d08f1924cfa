import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { problems } from '@countersign/contract';
import {
  createVerificationKey,
  MemoryReplayGuard,
  type Refusal,
  type RepeatPolicy,
  type Verification,
  verifyRequest,
} from '@countersign/signature/node';

/** A received request and the library's verdict. */
export interface Arrived {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly verification: Verification<unknown>;
}

/** A local service that verifies every request like the real one. */
export interface SignedService {
  readonly origin: string;
  readonly arrived: readonly Arrived[];
}

export interface SignedServiceOptions {
  readonly publicKey: string;
  /** The known client ID. Default: `client_test`. */
  readonly keyid?: string;
  /** Responds to a valid request. Default: 200 with a small JSON body. */
  readonly answer?: (request: Arrived, response: ServerResponse) => void;
  /** How far the service's clock runs ahead, in seconds. */
  readonly aheadSeconds?: number;
  /** How repeated signatures are treated. Default: `strict`, which notices every one. */
  readonly repeat?: RepeatPolicy;
}

/** Starts the service and stops it after the test. */
export async function startSignedService(
  context: Pick<TestContext, 'after'>,
  options: SignedServiceOptions,
): Promise<SignedService> {
  const {
    publicKey,
    keyid = 'client_test',
    answer = answerOk,
    aheadSeconds = 0,
    repeat = 'strict',
  } = options;
  const client = { keys: [createVerificationKey(publicKey)] };
  const guard = new MemoryReplayGuard({ repeat });
  const nowSeconds = (): number => Math.floor(Date.now() / 1000) + aheadSeconds;
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      const { method = '', url: target = '', rawHeaders } = request;
      const verification = verifyRequest(
        { method, targetUri: `http://${request.headers.host}${target}`, headers: rawHeaders, body },
        { clientByKeyid: (id) => (id === keyid ? client : undefined), guard, nowSeconds },
      );
      const one = { method, target, rawHeaders, body, verification };
      arrived.push(one);
      if (verification.ok) answer(one, response);
      else answerRefusal(verification, nowSeconds(), response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

/** A header's value. Undefined unless it occurs exactly once. */
export function headerOf({ rawHeaders }: Arrived, name: string): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
  return values.length === 1 ? values[0] : undefined;
}

/** A request as it was received, byte for byte. */
export function asHttp({ method, target, rawHeaders, body }: Arrived): Buffer {
  const lines = Array.from({ length: rawHeaders.length / 2 }, (_, index) => {
    return `${rawHeaders[index * 2]}: ${rawHeaders[index * 2 + 1]}\r\n`;
  });
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    body,
  ]);
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function answerOk(_request: Arrived, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}');
}

function answerRefusal(refusal: Refusal, nowSeconds: number, response: ServerResponse): void {
  const { code, reason, expected, received } = refusal;
  const { status, title, detail } = problems[code];
  const told = code === 'signature_invalid' ? {} : { reason, expected, received };
  const serverTime = code.startsWith('created_') ? new Date(nowSeconds * 1000).toISOString() : undefined;
  const type = `https://api.example.com/docs/errors#${code}`;
  response
    .writeHead(status, { 'Content-Type': 'application/problem+json' })
    .end(JSON.stringify({ type, title, status, detail, code, ...told, serverTime, requestId: 'request_1' }));
}

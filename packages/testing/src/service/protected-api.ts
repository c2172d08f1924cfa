import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import type { ServiceOverrides } from '@countersign/server';
import type { Signer } from '@countersign/signature/node';
import {
  type Answer,
  apiBaseUrl,
  type ClientOptions,
  type RunningService,
  runService,
} from './running-service.ts';
import type { Logger } from 'pino';
import { closeServer, idleForLong, listenOn } from '../network/listen-on.ts';

/** A request as an upstream received it. */
export interface Received {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** The values of a header, in lower case; every spelling has a name of its own. */
  values(name: string): readonly string[];
}

/** An API behind a running service. */
export interface ProtectedApi {
  /** The upstream's address, `http://host:port`. */
  readonly address: string;
  readonly running: RunningService;
  readonly signer: Signer;
  readonly clientId: string;
  /** Everything that reached the upstream, in order. */
  readonly received: readonly Received[];
  /** Signs a request for the API and sends it; `change` alters it after signing. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly signer?: Signer;
}

export interface ProtectedApiOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly overrides?: ServiceOverrides;
  readonly client?: ClientOptions;
  readonly logger?: Logger;
  /** Responds to a request whose body has been read; by default with 200 and its target. */
  readonly answer?: RequestListener;
}

/** Starts an upstream and a service before it. Both are closed when the test ends. */
export async function openProtectedApi(
  t: Pick<TestContext, 'after'>,
  options: ProtectedApiOptions = {},
): Promise<ProtectedApi> {
  const received: Received[] = [];
  const upstream = createServer(idleForLong, (request, response) => {
    void bodyOf(request).then((body) => {
      received.push(receivedRequest(request, body));
      if (options.answer) options.answer(request, response);
      else response.end(`the API's own ${request.url}`);
    });
  });
  const address = await listenOn(upstream);
  const running = await runService(
    { COUNTERSIGN_UPSTREAM: address, ...options.environment },
    options.overrides,
    options.logger,
  ).catch(async (error: unknown) => {
    // An open server would keep the process of the tests alive.
    await closeServer(upstream);
    throw error;
  });
  t.after(async () => {
    await running.close();
    await closeServer(upstream);
  });
  const { clientId, signer } = await running.addClient({ roles: ['api-user'], ...options.client });
  return {
    address,
    running,
    signer,
    clientId,
    received,
    call(method, path, { body, headers, signer: other = signer } = {}) {
      const url = apiBaseUrl + path;
      const signed = other.sign({ method, url, body });
      return running.send({ method, url, body, headers: { ...signed.headers, ...headers } });
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}

function receivedRequest({ method = '', url = '', rawHeaders }: IncomingMessage, body: string): Received {
  return {
    method,
    target: url,
    rawHeaders,
    body,
    values: (name) =>
      rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name),
  };
}

import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { ServiceOverrides } from '@countersign/server';
import type { Signer } from '@countersign/signature/node';
import { apiBaseUrl, type RunningService, runService } from '@countersign/testing/running-service';
import type { Logger } from 'pino';
import { readWholeAnswer, type WholeAnswer } from './whole-answer.ts';

/** A gateway in front of one address, and a client that says every byte itself. */
export interface RawGateway {
  readonly running: RunningService;
  readonly signer: Signer;
  readonly port: number;
  /** Signs a request and sends it on its own connection, which ends with the response. */
  ask(method: string, target: string, options?: AskOptions): Promise<WholeAnswer>;
  /** Returns a signed request as text. */
  text(method: string, target: string, options?: AskOptions): string;
  /** Opens a connection that sends nothing yet. */
  open(): Promise<Socket>;
}

export interface AskOptions {
  readonly body?: string;
  /** Lines that are added to the head, without their ends. */
  readonly lines?: readonly string[];
  /** Replaces the head's first line, to send one other than the signed one. */
  readonly version?: '1.0' | '1.1';
  /** Sends the body in one chunk. */
  readonly isChunked?: boolean;
}

export interface RawGatewayOptions {
  readonly upstreams: Readonly<Record<string, object>>;
  /** Every client may call those without a permission. */
  readonly routes: readonly {
    readonly path: string;
    readonly upstream: string;
    readonly permission?: string;
    readonly mode?: 'observe';
  }[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly overrides?: ServiceOverrides;
  readonly logger?: Logger;
}

/** Starts a service in front of upstreams. It is closed when the test ends. */
export async function openRawGateway(
  t: Pick<TestContext, 'after'>,
  { upstreams, routes, environment, overrides, logger }: RawGatewayOptions,
): Promise<RawGateway> {
  const settings = {
    COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
    COUNTERSIGN_UPSTREAMS: JSON.stringify(upstreams),
    COUNTERSIGN_ROUTES: JSON.stringify(routes.map((route) => ({ permission: 'none', ...route }))),
    ...environment,
  };
  const running = await runService(settings, overrides, logger);
  t.after(() => running.close());
  const { signer } = await running.addClient({ roles: ['payments-operator'] });
  const port = Number(new URL(running.service.apiAddress!).port);
  const text: RawGateway['text'] = (
    method,
    target,
    { body, lines = [], version = '1.1', isChunked } = {},
  ) => {
    const { headers } = signer.sign({ method, url: apiBaseUrl + target, body });
    const framing =
      body === undefined
        ? []
        : [isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${Buffer.byteLength(body)}`];
    const signed = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const head = [`Host: ${new URL(apiBaseUrl).host}`, ...signed, ...framing, ...lines].join('\r\n');
    const sent = isChunked ? chunked(body ?? '') : (body ?? '');
    return `${method} ${target} HTTP/${version}\r\n${head}\r\n\r\n${sent}`;
  };
  return {
    running,
    signer,
    port,
    text,
    open: () => openSocket(port),
    async ask(method, target, options = {}) {
      const socket = await openSocket(port);
      const ended = wholeText(socket);
      socket.write(
        text(method, target, { ...options, lines: ['Connection: close', ...(options.lines ?? [])] }),
      );
      const { received, wasReset } = await ended;
      return readWholeAnswer(received, method, wasReset);
    },
  };
}

/** Resolves with everything that came until the other side ended the connection. */
export function wholeText(socket: Socket): Promise<{ received: string; wasReset: boolean }> {
  const chunks: Buffer[] = [];
  let wasReset = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    socket.on('error', () => {
      wasReset = true;
    });
    socket.on('close', () => resolve({ received: Buffer.concat(chunks).toString('latin1'), wasReset }));
  });
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

function chunked(body: string): string {
  const chunk = body === '' ? '' : `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
  return `${chunk}0\r\n\r\n`;
}

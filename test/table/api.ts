import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { closeServer, idleForLong, listenOn } from '@countersign/testing/listen-on';

/** A request as the API received it. */
export interface Arrival {
  readonly method: string;
  readonly target: string;
  /** The values of a header; none if it did not arrive. */
  values(name: string): readonly string[];
  readonly body: Buffer;
}

/** An HTTP server that records requests, and responds as the first segment of the path asks. */
export interface Api {
  readonly address: string;
  readonly arrivals: Arrival[];
  close(): Promise<void>;
}

/** Paths with a response of their own. Any other path gets a description of the request. */
export const paths = {
  /** Followed by a status. */
  status: '/status/',
  /** Followed by a status and, as the query, the encoded URL to go to. */
  redirect: '/redirect/',
  problem: '/problem/',
  silent: '/silent/',
} as const;

/** A problem document of the API's own, with a code that looks like the service's. */
export const ownProblem = JSON.stringify({
  type: 'https://shop.example.test/problems/signature',
  title: 'The order is not signed',
  status: 401,
  code: 'signature_invalid',
});

/** The response to a request without special wishes. */
export function echoOf({ method, target, body }: Pick<Arrival, 'method' | 'target' | 'body'>): string {
  return `${method} ${target} ${createHash('sha256').update(body).digest('hex')}`;
}

/** The body of `/status/…`. */
export function ownAnswer(status: number): string {
  return `the API's own ${status}`;
}

export async function openApi(): Promise<Api> {
  const arrivals: Arrival[] = [];
  const server: Server = createServer(idleForLong, (request, response) => {
    void arrivalOf(request).then((arrival) => {
      arrivals.push(arrival);
      answer(arrival, response);
    });
  });
  const address = await listenOn(server);
  return { address, arrivals, close: () => closeServer(server) };
}

function answer(arrival: Arrival, response: ServerResponse): void {
  const { target } = arrival;
  const status = Number(target.split(/[/?]/)[2]);
  if (target.startsWith(paths.silent)) return;
  if (target.startsWith(paths.problem))
    response.writeHead(401, { 'Content-Type': 'application/problem+json' }).end(ownProblem);
  else if (target.startsWith(paths.status))
    response.writeHead(status, { 'Content-Type': 'text/plain', 'Retry-After': '1' }).end(ownAnswer(status));
  else if (target.startsWith(paths.redirect))
    response.writeHead(status, { Location: decodeURIComponent(target.split('?')[1]!) }).end('moved');
  else response.end(echoOf(arrival));
}

async function arrivalOf(request: IncomingMessage): Promise<Arrival> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '', headersDistinct } = request;
  return {
    method,
    target: url,
    values: (name) => headersDistinct[name.toLowerCase()] ?? [],
    body: Buffer.concat(chunks),
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Awaitable } from '@countersign/signature/profile';
import { givenVerifier } from './given-verifier.ts';
import type { SignedRequest, Verifier } from './verifier.ts';

/** Handles a request that passed every check. Its body is `signed.body`, and can still be read from the request. */
export type SignedListener = (
  request: IncomingMessage,
  response: ServerResponse,
  signed: SignedRequest,
) => Awaitable<unknown>;

/**
 * Creates a listener for node:http. If the handler throws or rejects, the response is a bare 500, or the
 * connection ends if a response has begun.
 *
 * @example
 * createServer(countersign(verifier, (request, response, signed) => response.end(`Hello ${signed.clientId}`)));
 */
export function countersign(
  verifier: Verifier,
  handle: SignedListener,
): (request: IncomingMessage, response: ServerResponse) => void {
  const usage = 'createServer(countersign(verifier, handler))';
  givenVerifier(verifier, usage);
  if (typeof handle !== 'function') throw new TypeError(`countersign() needs a handler: ${usage}`);
  return (request, response) => {
    const work = verifier
      .receive(request, response)
      .then((signed) => signed && handle(request, response, signed));
    work.catch((error: unknown) => {
      verifier.onError(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  };
}

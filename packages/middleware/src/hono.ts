import type { IncomingMessage, ServerResponse } from 'node:http';
import { givenVerifier } from './given-verifier.ts';
import type { SignedRequest, Verifier } from './verifier.ts';

/** The part of a Hono context that is used here. */
export interface HonoContext {
  readonly env: unknown;
  readonly set: (name: 'countersign', value: SignedRequest) => void;
}

/** What @hono/node-server puts into `c.env`. */
interface NodeServerEnvironment {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

/**
 * Creates the Hono middleware, for @hono/node-server. Register it before everything that reads the body;
 * `c.get('countersign')` is the proved client. Other runtimes show neither the raw target nor the header lines, so
 * every request is refused there by an error.
 *
 * @example
 * app.use(countersign(verifier));
 */
export function countersign(
  verifier: Verifier,
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  givenVerifier(verifier, 'app.use(countersign(verifier))');
  return async (context, next) => {
    const { incoming, outgoing } = (context.env ?? {}) as NodeServerEnvironment;
    if (!incoming || !outgoing)
      throw new TypeError(
        'countersign() needs @hono/node-server: only there can it see the request as it came.',
      );
    const signed = await verifier.receive(incoming, outgoing);
    if (!signed) return alreadySent();
    // The server takes the body from here if it is there, and refuses to read a stream that somebody has looked at.
    Object.assign(incoming, { rawBody: signed.body });
    context.set('countersign', signed);
    await next();
    return undefined;
  };
}

/** Tells the server that the answer is written. */
function alreadySent(): Response {
  const response = new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
  // The server has a Response of its own, whose headers it looks at only once the platform's stands behind it.
  Reflect.get(response, 'body');
  return response;
}

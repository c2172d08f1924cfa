import type { IncomingMessage, ServerResponse } from 'node:http';
import { givenVerifier } from './given-verifier.ts';
import type { SignedRequest, Verifier } from './verifier.ts';

/** The part of a Hono context that is used here. */
export interface HonoContext {
  readonly env: unknown;
  readonly set: (name: 'countersign', value: SignedRequest) => void;
}

/** The value that @hono/node-server puts into `c.env`. */
interface NodeServerEnvironment {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

/**
 * Creates the Hono middleware, for @hono/node-server. Register it before everything that reads the body;
 * `c.get('countersign')` is the authenticated client. Other runtimes expose neither the raw target nor the
 * header lines, so every request fails there with an error.
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
        'countersign() needs @hono/node-server: only there can it see the request as it was received.',
      );
    const signed = await verifier.receive(incoming, outgoing);
    if (!signed) return alreadySent();
    // If the body is here, the server takes it from here; it does not read a stream that was already accessed.
    Object.assign(incoming, { rawBody: signed.body });
    context.set('countersign', signed);
    await next();
    return undefined;
  };
}

/** Tells the server that the response is written. */
function alreadySent(): Response {
  const response = new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
  // The server has its own Response, whose headers it reads only once the platform's Response stands behind it.
  Reflect.get(response, 'body');
  return response;
}

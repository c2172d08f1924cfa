import type { IncomingMessage, ServerResponse } from 'node:http';
import { givenVerifier } from './given-verifier.ts';
import type { SignedRequest, Verifier } from './verifier.ts';

/** The part of a Koa context that is used here. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly originalUrl: string;
  readonly request: { readonly body?: unknown };
  /** `state.countersign` is the authenticated client, after `countersign`. */
  readonly state: { countersign?: SignedRequest };
  respond?: boolean;
}

/**
 * Creates the Koa middleware. Register it before every body parser; the parsers after it work as usual, and
 * `ctx.state.countersign` is the authenticated client.
 *
 * @example
 * app.use(countersign(verifier));
 */
export function countersign(
  verifier: Verifier,
): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  givenVerifier(verifier, 'app.use(countersign(verifier))');
  return async (context, next) => {
    const { req, res, originalUrl, request, state } = context;
    const signed = await verifier.receive(req, res, { rawTarget: originalUrl, parsedBody: request.body });
    if (signed) {
      state.countersign = signed;
      await next();
    } else {
      context.respond = false;
    }
  };
}

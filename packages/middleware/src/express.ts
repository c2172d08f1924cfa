import type { IncomingMessage, ServerResponse } from 'node:http';
import { givenVerifier } from './given-verifier.ts';
import type { SignedRequest, Verifier } from './verifier.ts';

/** The part of an Express request that is used here. */
export interface ExpressRequest extends IncomingMessage {
  /** The raw target. `url` lacks the path of a mounted router. */
  readonly originalUrl?: string;
  readonly body?: unknown;
  /** The authenticated client, after `countersign`. */
  countersign?: SignedRequest;
}

/**
 * Creates the Express middleware. Register it before every body parser; the parsers after it work as usual,
 * and `request.countersign` is the authenticated client.
 *
 * @example
 * app.use('/v1', countersign(verifier));
 */
export function countersign(
  verifier: Verifier,
): (request: ExpressRequest, response: ServerResponse, next: (error?: unknown) => void) => void {
  givenVerifier(verifier, 'app.use(countersign(verifier))');
  return (request, response, next) => {
    verifier.receive(request, response, { rawTarget: request.originalUrl, parsedBody: request.body }).then(
      (signed) => {
        if (!signed) return;
        request.countersign = signed;
        next();
      },
      (error: unknown) => next(error),
    );
  };
}

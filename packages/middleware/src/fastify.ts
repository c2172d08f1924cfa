import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SignedRequest, Verifier } from './verifier.ts';

/** The part of a Fastify instance that is used here. */
export interface FastifyApp {
  decorateRequest(name: 'countersign', value: null): unknown;
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
}

/** The part of a Fastify request that is used here. */
export interface FastifyRequest {
  readonly raw: IncomingMessage;
  /** The raw target, even if `rewriteUrl` changed it. */
  readonly originalUrl: string;
  readonly body?: unknown;
  /** The proved client, after `countersign`. */
  countersign?: SignedRequest | null;
}

interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/**
 * Verifies every request of a Fastify instance and of the plugins registered in it, in the first hook; body parsers
 * work as usual, and `request.countersign` is the proved client.
 *
 * @example
 * countersign(app, verifier);
 */
export function countersign(app: FastifyApp, verifier: Verifier): void {
  app.decorateRequest('countersign', null);
  app.addHook('onRequest', async (request, reply) => {
    const { raw, originalUrl, body } = request;
    const signed = await verifier.receive(raw, reply.raw, { rawTarget: originalUrl, parsedBody: body });
    if (signed) request.countersign = signed;
    else reply.hijack();
  });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { givenVerifier } from './given-verifier.ts';
import type { SignedRequest, Verifier } from './verifier.ts';

/** The part of a Fastify instance that is used here. */
export interface FastifyApp {
  decorateRequest(name: 'countersign', value: null): unknown;
  addHook(name: 'onRequest', hook: OnRequestHook): unknown;
  addHook(name: 'onReady', hook: () => Promise<void>): unknown;
  printRoutes(options: { readonly includeHooks: boolean }): string;
}

type OnRequestHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The part of a Fastify request that is used here. */
export interface FastifyRequest {
  readonly raw: IncomingMessage;
  /** The raw target, even if `rewriteUrl` changed it. */
  readonly originalUrl: string;
  readonly body?: unknown;
  /** The authenticated client, after `countersign`. */
  countersign?: SignedRequest | null;
}

interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/**
 * Verifies every request of a Fastify instance and of the plugins registered in it, in the first hook; body
 * parsers work as usual, and `request.countersign` is the authenticated client. Registered as a plugin, it
 * protects the instance that it is registered in, including routes declared earlier.
 *
 * Throws a TypeError, and a registered plugin aborts startup, if it would leave routes open: those of plugins
 * that were registered before it, or all routes if it is alone in its own plugin.
 *
 * @example
 * app.register(countersign, { verifier });
 * countersign(app, verifier); // the same, at once
 */
export function countersign(
  app: FastifyApp,
  options: Verifier | { readonly verifier: Verifier },
  done?: (error?: Error) => void,
): void {
  try {
    protect(app, verifierIn(options));
  } catch (error) {
    if (typeof done !== 'function') throw error;
    done(error as Error);
    return;
  }
  done?.();
}

// Without this mark, Fastify gives a plugin its own instance, and the hook would protect nothing else.
Object.defineProperty(countersign, Symbol.for('skip-override'), { value: true });

const usage = 'app.register(countersign, { verifier }), before the plugins that it protects';

function verifierIn(options: unknown): Verifier {
  const { verifier = options, prefix } = (options ?? {}) as Readonly<Record<string, unknown>>;
  if (prefix !== undefined)
    throw new TypeError('countersign() takes no prefix: register it in the plugin that has the prefix.');
  return givenVerifier(verifier, usage);
}

function protect(app: FastifyApp, verifier: Verifier): void {
  if (typeof app?.addHook !== 'function')
    throw new TypeError(`countersign() needs the Fastify instance. Use it like this: ${usage}`);
  refuseEarlierPlugins(app);
  app.decorateRequest('countersign', null);
  const hook = namedHook(async (request, reply) => {
    const { raw, originalUrl, body } = request;
    const signed = await verifier.receive(raw, reply.raw, { rawTarget: originalUrl, parsedBody: body });
    if (signed) request.countersign = signed;
    else reply.hijack();
  });
  app.addHook('onRequest', hook);
  if (isInPlugin(app)) requireRoute(app, hook.name);
}

/** Gives a hook its own name, which appears in Fastify's list of routes. */
function namedHook(hook: OnRequestHook): OnRequestHook {
  return Object.defineProperty(hook, 'name', { value: `countersign ${hookCount++}` });
}

let hookCount = 1;

/** A plugin gets the hooks that exist when it is loaded, so plugins loaded before this one would stay open. */
function refuseEarlierPlugins(app: FastifyApp): void {
  const symbol = Object.getOwnPropertySymbols(app).find((one) => one.description === 'fastify.children');
  const earlier: unknown = symbol && Reflect.get(app, symbol);
  if (!Array.isArray(earlier))
    throw new TypeError(
      'countersign() does not support this version of Fastify: it cannot tell which routes it protects.',
    );
  if (earlier.length > 0)
    throw new TypeError(
      'countersign() would not protect the routes of plugins registered before it. Register it first. ' +
        'To leave some routes open, register countersign() and the routes that it protects in a separate plugin.',
    );
}

/** An instance that is not the root inherits from its parent. */
function isInPlugin(app: FastifyApp): boolean {
  return 'addHook' in (Object.getPrototypeOf(app) as object);
}

function requireRoute(app: FastifyApp, hookName: string): void {
  app.addHook('onReady', async () => {
    if (!app.printRoutes({ includeHooks: true }).includes(`"${hookName}()"`))
      throw new TypeError(
        'countersign() protects no route: its plugin has none. Register it in the plugin that has the ' +
          'routes, or in the app.',
      );
  });
}

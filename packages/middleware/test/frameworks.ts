import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import bodyParser from '@koa/bodyparser';
import { countersign as forExpress } from '@countersign/middleware/express';
import { countersign as forFastify } from '@countersign/middleware/fastify';
import { countersign as forHono } from '@countersign/middleware/hono';
import { countersign as forKoa } from '@countersign/middleware/koa';
import { countersign as forNode } from '@countersign/middleware/node';
import type { SignedRequest, Verifier } from '@countersign/middleware';
import { closeServer } from '@countersign/testing/listen-on';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';

/** The response of all frameworks' handlers: the caller, and the body as the framework's own parser read it. */
export interface Echo {
  readonly clientId: string;
  readonly requestId: string;
  readonly roles: readonly string[];
  /** The raw body, as base64. */
  readonly bytes: string;
  /** The result of the framework's parser; null if there was nothing to parse. */
  readonly parsed: unknown;
}

/** A listening server. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a real server of one framework with the middleware, its JSON parser and a handler that echoes. */
export type StartFramework = (verifier: Verifier, options?: FrameworkOptions) => Promise<Listening>;

export interface FrameworkOptions {
  /** Registers the parser before the middleware, which is a mistake. */
  readonly parserFirst?: boolean;
  /** Throws in the handler. */
  readonly handlerFails?: boolean;
  /** Responds without reading the body. */
  readonly bodyIsIgnored?: boolean;
}

/** A path whose handler is below a mounted router or prefix, in the frameworks that have one. */
export const mountedPath = '/mounted/things';

function echo(signed: SignedRequest, parsed: unknown): Echo {
  return {
    clientId: signed.clientId,
    requestId: signed.requestId,
    roles: signed.roles,
    bytes: signed.body.toString('base64'),
    parsed: parsed ?? null,
  };
}

function failIfAsked({ handlerFails }: FrameworkOptions): void {
  if (handlerFails) throw new Error('the handler has a bug');
}

const startNode: StartFramework = (verifier, options = {}) =>
  listen(
    forNode(verifier, async (request, response, signed) => {
      failIfAsked(options);
      let text = '';
      if (!options.bodyIsIgnored) for await (const chunk of request.setEncoding('utf8')) text += chunk;
      const isJson = /json/.test(request.headers['content-type'] ?? '') && text !== '';
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(echo(signed, isJson ? JSON.parse(text) : undefined)));
    }),
  );

const startExpress: StartFramework = (verifier, options = {}) => {
  const app = express();
  app.set('env', 'test');
  if (options.parserFirst) app.use(express.json());
  const answer: express.RequestHandler = (request, response) => {
    failIfAsked(options);
    const { countersign } = request as unknown as { countersign: SignedRequest };
    response.json(echo(countersign, request.body));
  };
  // A mounted middleware sees only the rest of the path in `request.url`.
  const mounted = express.Router();
  mounted.use(forExpress(verifier));
  if (!options.bodyIsIgnored) mounted.use(express.json({ strict: false }));
  mounted.all('/{*path}', answer);
  app.use('/mounted', mounted);
  app.use(forExpress(verifier));
  if (!options.bodyIsIgnored) app.use(express.json({ strict: false }));
  app.use(answer);
  return listen(app);
};

const startKoa: StartFramework = (verifier, options = {}) => {
  const app = new Koa();
  app.silent = true;
  const parser = bodyParser({ enableTypes: ['json'], jsonStrict: false, parsedMethods: allMethods });
  if (options.parserFirst) app.use(parser);
  app.use(forKoa(verifier));
  if (!options.parserFirst && !options.bodyIsIgnored) app.use(parser);
  app.use((context) => {
    failIfAsked(options);
    // The parser makes an object of no body, too.
    const { body, rawBody } = context.request as unknown as { body: unknown; rawBody?: string };
    const signed = (context.state as { countersign: SignedRequest }).countersign;
    context.body = echo(signed, rawBody === undefined || rawBody === '' ? undefined : body);
  });
  const answerRequest = app.callback();
  return listen((request, response) => void answerRequest(request, response));
};

const startHono: StartFramework = async (verifier, options = {}) => {
  const app = new Hono<{ Variables: { countersign: SignedRequest } }>();
  if (options.parserFirst) {
    app.use(async (context, next) => {
      await context.req.text();
      await next();
    });
  }
  app.use(forHono(verifier));
  app.all('*', async (context) => {
    failIfAsked(options);
    const isJson = /json/.test(context.req.header('Content-Type') ?? '');
    const text = isJson && !options.bodyIsIgnored ? await context.req.text() : '';
    return context.json(echo(context.get('countersign'), text === '' ? undefined : JSON.parse(text)));
  });
  app.onError((_error, context) => context.text('Internal Server Error', 500));
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  return listening(server);
};

const startFastify: StartFramework = async (verifier, options = {}) => {
  const app = fastify();
  if (options.parserFirst) {
    app.addHook('onRequest', async (request) => {
      await request.raw.toArray();
    });
  }
  countersignFastify(app, verifier);
  app.removeAllContentTypeParsers();
  if (!options.bodyIsIgnored) {
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
      done(null, body === '' ? undefined : JSON.parse(body as string));
    });
  }
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    payload.on('end', () => done(null));
  });
  const answer = (
    request: { body: unknown; countersign?: SignedRequest | null },
    reply: { send: (value: Echo) => unknown },
  ): void => {
    failIfAsked(options);
    reply.send(echo(request.countersign!, request.body));
  };
  await app.register(async (scope) => void scope.all('/things', answer), { prefix: '/mounted' });
  app.setNotFoundHandler(answer);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: (app.server.address() as AddressInfo).port, close: () => closeServer(app.server) };
};

const countersignFastify = forFastify;

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Every framework by its name. */
export const frameworks: Readonly<Record<string, StartFramework>> = {
  'node:http': startNode,
  Express: startExpress,
  Fastify: startFastify,
  Hono: startHono,
  Koa: startKoa,
};

async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  return listening(server);
}

async function listening(server: Server): Promise<Listening> {
  if (!server.listening) await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

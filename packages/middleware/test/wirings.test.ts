import assert from 'node:assert/strict';
import { createServer, IncomingMessage, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { serve } from '@hono/node-server';
import { createVerifier, type Verifier } from '@countersign/middleware';
import { countersign as forExpress } from '@countersign/middleware/express';
import { countersign as forFastify } from '@countersign/middleware/fastify';
import { countersign as forHono } from '@countersign/middleware/hono';
import { countersign as forKoa } from '@countersign/middleware/koa';
import { countersign as forNode } from '@countersign/middleware/node';
import { MemoryReplayGuard } from '@countersign/signature/node';
import express, { type Express } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { baseUrl, clientId, sendSigned, shop } from './scene.ts';
import { exchange } from './wire.ts';

/** The function that a wrong wiring passes to a framework, whose types would reject it. */
// oxlint-disable-next-line typescript/no-explicit-any -- JavaScript has no types
type Untyped = any;

/** A server of one framework with a handler at `/transfer`, wired by a user. */
type Wired = (verifier: Verifier, transfer: () => void) => Promise<Server>;

const fastifyCountersign: Untyped = forFastify;

/** Wires a Fastify app, then adds a route to it. */
function onFastify(wire: (app: FastifyInstance, verifier: Verifier, addRoute: AddRoute) => unknown): Wired {
  return async (verifier, transfer) => {
    const app = fastify();
    const addRoute: AddRoute = (api) =>
      void api.post('/transfer', async () => {
        transfer();
        return { moved: true };
      });
    try {
      if ((await wire(app, verifier, addRoute)) !== 'has its route') addRoute(app);
      await app.listen({ port: 0, host: '127.0.0.1' });
    } catch (error) {
      await app.close();
      throw error;
    }
    return app.server;
  };
}

type AddRoute = (api: FastifyInstance) => void;

function onExpress(wire: (app: Express, verifier: Verifier) => void): Wired {
  return async (verifier, transfer) => {
    const app = express();
    app.set('env', 'test');
    wire(app, verifier);
    app.post('/transfer', (_request, response) => {
      transfer();
      response.json({ moved: true });
    });
    return listen(app);
  };
}

function onKoa(wire: (app: Koa, verifier: Verifier) => void): Wired {
  return async (verifier, transfer) => {
    const app = new Koa();
    app.silent = true;
    wire(app, verifier);
    app.use((context) => {
      transfer();
      context.body = { moved: true };
    });
    const answer = app.callback();
    return listen((request, response) => void answer(request, response));
  };
}

function onHono(wire: (app: Hono, verifier: Verifier) => void): Wired {
  return async (verifier, transfer) => {
    const app = new Hono();
    app.onError((_error, context) => context.text('Internal Server Error', 500));
    wire(app, verifier);
    app.post('/transfer', (context) => {
      transfer();
      return context.json({ moved: true });
    });
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
    if (!server.listening) await once(server, 'listening');
    return server;
  };
}

function onNode(wire: (verifier: Verifier, handle: RequestListener) => RequestListener): Wired {
  return async (verifier, transfer) =>
    listen(
      wire(verifier, (_request, response) => {
        transfer();
        response.end('moved');
      }),
    );
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Wirings that protect the route: a signed request reaches it. */
const right: Readonly<Record<string, Wired>> = {
  'Fastify: countersign(app, verifier)': onFastify((app, verifier) => forFastify(app, verifier)),
  'Fastify: countersign(app, { verifier })': onFastify((app, verifier) => forFastify(app, { verifier })),
  'Fastify: app.register(countersign, verifier)': onFastify(
    (app, verifier) => void app.register(forFastify, verifier),
  ),
  'Fastify: app.register(countersign, { verifier })': onFastify(
    (app, verifier) => void app.register(forFastify, { verifier }),
  ),
  'Fastify: await app.register(countersign, verifier)': onFastify(async (app, verifier) => {
    await app.register(forFastify, verifier);
  }),
  'Fastify: app.register(countersign, () => ({ verifier }))': onFastify(
    (app, verifier) => void app.register(forFastify, () => ({ verifier })),
  ),
  'Fastify: the route before app.register(countersign, verifier)': onFastify((app, verifier, addRoute) => {
    addRoute(app);
    void app.register(forFastify, verifier);
    return 'has its route';
  }),
  'Fastify: the route in a plugin after app.register(countersign, verifier)': onFastify(
    (app, verifier, addRoute) => {
      void app.register(forFastify, verifier);
      void app.register(async (api) => addRoute(api));
      return 'has its route';
    },
  ),
  'Fastify: register(countersign, verifier) inside of the plugin that has the route': onFastify(
    (app, verifier, addRoute) => {
      app.get('/health', async () => 'ok');
      void app.register(async (api) => {
        void api.register(forFastify, verifier);
        addRoute(api);
      });
      return 'has its route';
    },
  ),
  'Express: app.use(countersign(verifier))': onExpress((app, verifier) => app.use(forExpress(verifier))),
  'Koa: app.use(countersign(verifier))': onKoa((app, verifier) => app.use(forKoa(verifier))),
  'Hono: app.use(countersign(verifier))': onHono((app, verifier) => app.use(forHono(verifier))),
  'node:http: countersign(verifier, handler)': onNode((verifier, handle) => forNode(verifier, handle)),
};

/** Mistakes that stop the program before it serves anything. */
const refusedAtStart: Readonly<Record<string, Wired>> = {
  'Fastify: countersign(app)': onFastify((app) => fastifyCountersign(app)),
  'Fastify: countersign(verifier)': onFastify((_app, verifier) => fastifyCountersign(verifier)),
  'Fastify: countersign(verifier, app)': onFastify((app, verifier) => fastifyCountersign(verifier, app)),
  'Fastify: app.register(countersign)': onFastify((app) => void app.register(fastifyCountersign)),
  'Fastify: app.register(countersign, {})': onFastify((app) => void app.register(fastifyCountersign, {})),
  'Fastify: app.register(countersign, options of the verifier)': onFastify(
    (app) => void app.register(fastifyCountersign, { baseUrls: [baseUrl], findClient: () => shop }),
  ),
  'Fastify: app.register(countersign, { verifier: createVerifier })': onFastify(
    (app) => void app.register(fastifyCountersign, { verifier: createVerifier }),
  ),
  'Fastify: app.register(countersign, { verifier: a promise })': onFastify(
    (app, verifier) => void app.register(fastifyCountersign, { verifier: Promise.resolve(verifier) }),
  ),
  'Fastify: app.register(countersign, { verifier, prefix })': onFastify(
    (app, verifier) => void app.register(fastifyCountersign, { verifier, prefix: '/api' }),
  ),
  'Fastify: app.register(countersign(app, verifier))': onFastify(
    (app, verifier) => void app.register(fastifyCountersign(app, verifier)),
  ),
  'Fastify: app.addHook("onRequest", countersign(app, verifier))': onFastify(
    (app, verifier) => void app.addHook('onRequest', fastifyCountersign(app, verifier)),
  ),
  'Fastify: in a plugin that has no routes': onFastify(
    (app, verifier) => void app.register(async (api) => forFastify(api, verifier)),
  ),
  'Fastify: registered in a plugin that has no routes': onFastify(
    (app, verifier) =>
      void app.register(async (api) => {
        await api.register(forFastify, { verifier });
      }),
  ),
  'Fastify: app.register(countersign, verifier) after a plugin with the route': onFastify(
    (app, verifier, addRoute) => {
      void app.register(async (api) => addRoute(api));
      void app.register(forFastify, verifier);
      return 'has its route';
    },
  ),
  'Fastify: countersign(app, verifier) after a plugin with the route': onFastify(
    async (app, verifier, addRoute) => {
      await app.register(async (api) => addRoute(api));
      forFastify(app, verifier);
      return 'has its route';
    },
  ),
  'Fastify: app.register(countersign, verifier) twice': onFastify((app, verifier) => {
    void app.register(forFastify, verifier);
    void app.register(forFastify, verifier);
  }),
  'Fastify: app.register(countersign, verifier) once it is ready': onFastify(
    async (app, verifier, addRoute) => {
      addRoute(app);
      await app.ready();
      await app.register(forFastify, verifier);
      return 'has its route';
    },
  ),
  'node:http: countersign(handler, verifier)': onNode((verifier, handle) =>
    (forNode as Untyped)(handle, verifier),
  ),
  'node:http: countersign, called with a request': onNode(() =>
    (forNode as Untyped)(new IncomingMessage(new Socket()), {}),
  ),
  'node:http: countersign(verifier)': onNode((verifier) => (forNode as Untyped)(verifier)),
  ...Object.fromEntries(
    Object.entries({
      Express: [onExpress, forExpress],
      Koa: [onKoa, forKoa],
      Hono: [onHono, forHono],
    }).flatMap(([name, [on, countersign]]) =>
      Object.entries({
        'countersign()': () => [],
        'countersign({ verifier })': (verifier: Verifier) => [{ verifier }],
        'countersign(app, verifier)': (verifier: Verifier, app: unknown) => [app, verifier],
        'countersign(createVerifier)': () => [createVerifier],
        'countersign(options of the verifier)': () => [{ baseUrls: [baseUrl], findClient: () => shop }],
      }).map(([call, argumentsOf]) => [
        `${name}: app.use(${call})`,
        (on as Untyped)((app: Untyped, verifier: Verifier) =>
          app.use((countersign as Untyped)(...argumentsOf(verifier, app))),
        ),
      ]),
    ),
  ),
};

/** Mistakes that a framework takes for middleware: they reject every request. */
const refusesEverything: Readonly<Record<string, Wired>> = {
  'Fastify: app.addHook("onRequest", countersign)': onFastify(
    (app) => void app.addHook('onRequest', fastifyCountersign),
  ),
  'Fastify: app.addHook("preHandler", countersign)': onFastify(
    (app) => void app.addHook('preHandler', fastifyCountersign),
  ),
  'Express: app.use(countersign)': onExpress((app) => app.use(forExpress as Untyped)),
  'Koa: app.use(countersign)': onKoa((app) => app.use(forKoa as Untyped)),
  'Hono: app.use(countersign)': onHono((app) => app.use(forHono as Untyped)),
};

/** Starts a wired server, calls it, and returns what it answered and how often its handler ran. */
async function statusOf(wired: Wired, request: 'signed' | 'unsigned'): Promise<readonly [number, number]> {
  const verifier = createVerifier({
    baseUrls: [baseUrl],
    findClient: (named) => (named === clientId ? shop : undefined),
    guard: new MemoryReplayGuard(),
    onError: () => undefined,
  });
  let calls = 0;
  const server = await wired(verifier, () => (calls += 1));
  try {
    const { port } = server.address() as AddressInfo;
    const headers = [['Host', 'api.example.test'] as const];
    const answer =
      request === 'signed'
        ? await sendSigned(port, { path: '/transfer' })
        : await exchange(port, { method: 'POST', target: '/transfer', headers });
    return [answer.status, calls];
  } finally {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

describe('each way to wire the middleware', () => {
  for (const [name, wired] of Object.entries(right))
    test(`${name} lets in signed requests alone`, async () => {
      assert.deepEqual(await statusOf(wired, 'unsigned'), [401, 0]);
      assert.deepEqual(await statusOf(wired, 'signed'), [200, 1]);
    });

  for (const [name, wired] of Object.entries(refusedAtStart))
    test(`${name} refuses to start`, async () => {
      await assert.rejects(statusOf(wired, 'unsigned'));
    });

  for (const [name, wired] of Object.entries(refusesEverything))
    test(`${name} answers 500 and calls no handler`, async () => {
      assert.deepEqual(await statusOf(wired, 'unsigned'), [500, 0]);
    });
});

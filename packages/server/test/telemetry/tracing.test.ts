import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { after, afterEach, before, describe, test } from 'node:test';
import { openProtectedApi } from '@countersign/testing/protected-api';
import {
  apiBaseUrl,
  otherKeyPair,
  type RunningService,
  runService,
  sendSigned,
} from '@countersign/testing/running-service';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { ReceivedHead } from '@countersign/gate';
import { pino } from 'pino';
import { openTracing } from '../../src/telemetry/tracing.ts';
import { StorageError } from '../../src/storage/storage-error.ts';

/** What an SDK would send to its collector. */
interface Recorded {
  readonly name: string;
  readonly kind: SpanKind | undefined;
  readonly attributes: Attributes;
  readonly parent: SpanContext | undefined;
  status?: SpanStatusCode;
  ended: number;
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
let spans: Recorded[] = [];

test('tracing is off, and makes no span, as long as no SDK is registered', () => {
  assert.equal(openTracing(), undefined);
});

describe('an SDK with its own copy of the API', () => {
  const key = Symbol.for('opentelemetry.js.api.1');
  const globals = globalThis as unknown as Record<symbol, unknown>;
  const provider = { getTracer: () => ({ startSpan: recordSpan }) };
  afterEach(() => {
    delete globals[key];
    spans = [];
  });

  for (const version of ['1.4.1', '1.9.1', '1.10.0']) {
    test(`traces with version ${version}`, () => {
      globals[key] = { version, trace: provider };
      const span = openTracing()?.begin({ method: 'GET', rawHeaders: [] } as unknown as ReceivedHead);
      span?.end();
      assert.deepEqual(
        spans.map(({ name, ended }) => [name, ended]),
        [['GET', 1]],
      );
    });
  }

  test('a warning at the start names a version that cannot be used', async () => {
    globals[key] = { version: '1.3.0', trace: provider };
    assert.deepEqual(await versionsWarnedOf(), ['1.3.0']);
  });

  test('no warning about a version that can be used, nor about a registration without a tracer', async () => {
    globals[key] = { version: '1.9.1', trace: provider };
    assert.deepEqual(await versionsWarnedOf(), []);
    globals[key] = { version: '1.3.0', metrics: {} };
    assert.deepEqual(await versionsWarnedOf(), []);
  });
});

describe('with an SDK', () => {
  let running: RunningService;
  /** Set when the tests begin: minutes may have gone by since this file was loaded. */
  let unavailableCreated: number;
  before(async () => {
    unavailableCreated = Math.floor(Date.now() / 1000) - 100;
    registerRecorder();
    running = await runService(
      {},
      {
        wrapGuard: (guard) => ({
          use: (signature, nowSeconds) => {
            assert.ok(trace.getSpan(context.active()), 'the span is the current one');
            if (signature.created === unavailableCreated) throw new StorageError('not_accessible', 'gone');
            return guard.use(signature, nowSeconds);
          },
        }),
      },
    );
  });
  afterEach(() => {
    spans = [];
  });
  after(async () => {
    trace.disable();
    context.disable();
    propagation.disable();
    await running.close();
  });

  test('a refused request is one span, which names nobody', async () => {
    await running.send({ method: 'GET', url: '/v1/whoami?card=4111' });
    const [{ attributes, parent, ended, status } = fail(), ...others] = spans;
    assert.deepEqual(others, []);
    const { 'countersign.request_id': requestId, ...rest } = attributes;
    assert.match(String(requestId), /^request_/);
    assert.deepEqual(rest, {
      'http.request.method': 'GET',
      'url.path': '/v1/whoami',
      'http.response.status_code': 401,
      'countersign.code': 'signature_missing',
    });
    assert.deepEqual([parent, ended, status], [undefined, 1, undefined]);
  });

  test('what a route that observes let through is told from what was refused', async (t) => {
    const routes = JSON.stringify([
      { path: '/**', permission: 'shop', mode: 'observe' },
      { path: '/strict', permission: 'shop' },
    ]);
    const api = await openProtectedApi(t, { environment: { COUNTERSIGN_ROUTES: routes } });
    for (const path of ['/orders', '/strict'])
      await api.running.send({ method: 'GET', url: apiBaseUrl + path });
    assert.deepEqual(
      spans.map(({ attributes }) => [attributes['countersign.code'], attributes['countersign.observed']]),
      [
        ['signature_missing', true],
        ['signature_missing', undefined],
      ],
    );
  });

  test('what cannot be decided is an error, and its span ends', async () => {
    const { signer } = await running.addClient();
    const signed = signer.sign(
      { method: 'GET', url: 'https://api.example.test/v1/whoami' },
      { created: unavailableCreated },
    );
    const answer = await running.send({ method: 'GET', url: '/v1/whoami', headers: { ...signed.headers } });
    assert.equal(answer.status, 500);
    assert.deepEqual(
      spans.map(({ ended, status, attributes }) => [ended, status, attributes['countersign.code']]),
      [[1, SpanStatusCode.ERROR, 'internal_error']],
    );
  });

  test('an accepted request belongs to the trace of its caller', async () => {
    const clientId = 'traced-client';
    const keys = { clientId, keyPair: otherKeyPair };
    const { signer } = await running.addClient(keys);
    const headers = { traceparent, baggage: 'note=from-a-stranger' };
    await sendSigned(running, signer, { method: 'GET', url: '/v1/whoami', headers });
    const [{ name, kind, attributes, parent } = fail()] = spans;
    assert.deepEqual([name, kind], ['GET', SpanKind.SERVER]);
    assert.equal(attributes['countersign.code'], 'accepted');
    assert.equal(attributes['countersign.client_id'], clientId);
    assert.equal(attributes['http.response.status_code'], 200);
    assert.equal(parent?.traceId, traceId);
  });

  test('two lines of traceparent, or none that can be read, begin a trace', async () => {
    for (const value of [[traceparent, traceparent], 'nonsense']) {
      await running.send({
        method: 'GET',
        url: '/v1/whoami',
        headers: { Host: 'api.example.test', traceparent: value },
      });
    }
    assert.deepEqual(
      spans.map(({ parent }) => parent),
      [undefined, undefined],
    );
  });

  test('health needs no span', async () => {
    await running.send({ method: 'GET', url: '/live' });
    assert.deepEqual(spans, []);
  });
});

/** Starts a service and returns the versions of the API that its log says it cannot use. */
async function versionsWarnedOf(): Promise<unknown[]> {
  const lines: string[] = [];
  const running = await runService({}, {}, pino({}, { write: (line: string) => lines.push(line) }));
  await running.close();
  return lines
    .filter((line) => line.includes('nothing is traced'))
    .map((line) => (JSON.parse(line) as Record<string, unknown>)['registeredVersion']);
}

function fail(): never {
  throw new assert.AssertionError({ message: 'there is no span' });
}

/** The least that an SDK does: spans, a current context, and traceparent. */
function registerRecorder(): void {
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: recordSpan,
      startActiveSpan: () => assert.fail('not used'),
    }),
  });
  context.setGlobalContextManager(asynchronousContexts());
  propagation.setGlobalPropagator({
    inject: () => undefined,
    fields: () => ['traceparent'],
    extract: (parent, carrier, getter) => {
      assert.equal(getter.get(carrier, 'baggage'), undefined);
      const [, id, spanId] =
        /^00-(\w{32})-(\w{16})-01$/.exec(String(getter.get(carrier, 'traceparent'))) ?? [];
      if (id === undefined || spanId === undefined) return parent;
      return trace.setSpanContext(parent, { traceId: id, spanId, traceFlags: 1, isRemote: true });
    },
  });
}

function recordSpan(name: string, { kind, attributes = {} }: SpanOptions = {}, parent?: Context): Span {
  const recorded: Recorded = {
    name,
    kind,
    attributes: { ...attributes },
    parent: parent && trace.getSpanContext(parent),
    ended: 0,
  };
  spans.push(recorded);
  const span = {
    setAttributes: (more: Attributes) => Object.assign(recorded.attributes, more),
    setStatus: ({ code }: { code: SpanStatusCode }) => {
      recorded.status = code;
    },
    end: () => {
      recorded.ended += 1;
    },
  };
  return span as unknown as Span;
}

function asynchronousContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (current, work, self, ...values) => storage.run(current, () => work.call(self, ...values)),
    bind: (_current, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

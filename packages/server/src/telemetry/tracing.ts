import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import {
  type ReceivedHead,
  type RequestRecord,
  type RequestSpan,
  type Tracing,
  valuesOf,
} from '@countersign/gate';

/**
 * Opens tracing with OpenTelemetry if a program loaded before the service has registered an SDK. Otherwise
 * returns undefined, and tracing costs nothing.
 *
 * A span joins the trace that `traceparent` names, or becomes a child of the current span, as with
 * instrumentation of node:http. It contains no query, no body and no other header.
 */
export function openTracing(): Tracing | undefined {
  const tracer = registeredTracer();
  return tracer && { begin: (request) => beginSpan(tracer, request) };
}

/**
 * Returns the version of the OpenTelemetry API through which an SDK is registered if ours cannot use it, in
 * which case nothing is traced. Otherwise returns undefined. A copy of the API can use registrations of its own
 * major version and the same or a newer minor version, so our copy is as old as its other users allow.
 */
export function unusableApiVersion(): string | undefined {
  if (registeredTracer() !== undefined) return undefined;
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (!Symbol.keyFor(symbol)?.startsWith('opentelemetry.js.api.')) continue;
    const { version, trace: provider } =
      (globalThis as unknown as Record<symbol, RegisteredApi>)[symbol] ?? {};
    if (provider !== undefined) return String(version);
  }
  return undefined;
}

/** The registration that one copy of the API leaves for other copies. */
interface RegisteredApi {
  readonly version?: unknown;
  readonly trace?: unknown;
}

const name = 'countersign';

/**
 * Returns the registered tracer; undefined if it records nothing, because it would still create an object for
 * each span.
 */
function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider() as ReturnType<typeof trace.getTracerProvider> & {
    getDelegateTracer?: (name: string) => Tracer | undefined;
  };
  // Checked by shape, because the SDK may have its own copy of the API.
  return provider.getDelegateTracer ? provider.getDelegateTracer(name) : provider.getTracer(name);
}

function beginSpan(tracer: Tracer, request: ReceivedHead): RequestSpan {
  const current = context.active();
  const isBelow = trace.getSpan(current) !== undefined;
  const parent = isBelow ? current : parentOf(request.rawHeaders);
  const method = request.method ?? '';
  const kind = isBelow ? SpanKind.INTERNAL : SpanKind.SERVER;
  const span = tracer.startSpan(method, { kind, attributes: { 'http.request.method': method } }, parent);
  const within = trace.setSpan(parent, span);
  return {
    run: (work) => context.with(within, work),
    answered: (record) => describe(span, record),
    end: () => span.end(),
  };
}

/** Reads only these two headers: `baggage` would carry a stranger's text into every outgoing call. */
function parentOf(rawHeaders: readonly string[]): Context {
  const [traceparent, ...others] = valuesOf(rawHeaders, 'traceparent');
  if (traceparent === undefined || others.length > 0) return ROOT_CONTEXT;
  const tracestate = valuesOf(rawHeaders, 'tracestate').join(',');
  return propagation.extract(ROOT_CONTEXT, { traceparent, ...(tracestate !== '' && { tracestate }) });
}

function describe(span: Span, record: RequestRecord): void {
  const { path, status, outcome, isObserved, clientId, requestId } = record;
  span.setAttributes({
    'url.path': path.slice(0, textLengthMax),
    'countersign.code': outcome,
    ...(isObserved && { 'countersign.observed': true }),
    'countersign.request_id': requestId,
    ...(status > 0 && { 'http.response.status_code': status }),
    ...(clientId !== undefined && { 'countersign.client_id': clientId }),
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

const textLengthMax = 512;

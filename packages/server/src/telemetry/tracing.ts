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
 * Tracing with OpenTelemetry, when a program that was loaded before the service has registered an SDK; otherwise
 * undefined, and tracing costs nothing.
 *
 * A span belongs to the trace that `traceparent` names, or is below the span that is current already, as with
 * instrumentation of node:http. It holds no query, no header but that one, and no body.
 */
export function openTracing(): Tracing | undefined {
  const tracer = registeredTracer();
  return tracer && { begin: (request) => beginSpan(tracer, request) };
}

const name = 'countersign';

/** Undefined where the tracer would be the one that records nothing, but makes an object for each span. */
function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider() as ReturnType<typeof trace.getTracerProvider> & {
    getDelegateTracer?: (name: string) => Tracer | undefined;
  };
  // Asked by the shape, because the SDK may have another copy of the API.
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

/** Only these two headers are read: `baggage` would bring a stranger's text into everything that is called. */
function parentOf(rawHeaders: readonly string[]): Context {
  const [traceparent, ...others] = valuesOf(rawHeaders, 'traceparent');
  if (traceparent === undefined || others.length > 0) return ROOT_CONTEXT;
  const tracestate = valuesOf(rawHeaders, 'tracestate').join(',');
  return propagation.extract(ROOT_CONTEXT, { traceparent, ...(tracestate !== '' && { tracestate }) });
}

function describe(span: Span, { path, status, outcome, clientId, requestId }: RequestRecord): void {
  span.setAttributes({
    'url.path': path.slice(0, textLengthMax),
    'countersign.code': outcome,
    'countersign.request_id': requestId,
    ...(status > 0 && { 'http.response.status_code': status }),
    ...(clientId !== undefined && { 'countersign.client_id': clientId }),
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

const textLengthMax = 512;

import type { ServerResponse } from 'node:http';

interface RefusalDescription {
  readonly status: number;
  readonly title: string;
}

/** Every response that the proxy creates itself. Callers match on the names. */
export const proxyRefusals = {
  host_not_allowed: { status: 403, title: 'The Host header names neither this proxy nor its target' },
  browser_not_allowed: { status: 403, title: 'Web pages cannot use this proxy' },
  target_not_allowed: { status: 403, title: 'This proxy signs for another target' },
  request_invalid: { status: 400, title: 'The request cannot be signed' },
  method_not_allowed: { status: 405, title: 'This proxy opens no tunnels' },
  upgrade_not_supported: { status: 501, title: 'This proxy forwards no other protocols' },
  body_too_large: { status: 413, title: 'The body is larger than this proxy buffers' },
  too_many_equal_requests: { status: 429, title: 'Too many identical requests at once' },
  proxy_busy: { status: 503, title: 'This proxy buffers too many bodies now' },
  signing_failed: { status: 500, title: 'The request could not be signed' },
  target_unreachable: { status: 502, title: 'The target did not answer' },
  target_timeout: { status: 504, title: 'The target did not answer in time' },
} as const satisfies Readonly<Record<string, RefusalDescription>>;

export type ProxyRefusalCode = keyof typeof proxyRefusals;

/** A request to which the proxy responds itself. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  readonly code: ProxyRefusalCode;

  /** @param message what to do; for the caller */
  constructor(code: ProxyRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Responds with problem details (RFC 9457). Does nothing once the response has begun. */
export function answerRefusal({ code, message }: ProxyRefusal, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, title } = proxyRefusals[code];
  const body = Buffer.from(
    JSON.stringify({ title, status, detail: message, code, from: 'countersign proxy' }),
  );
  response.writeHead(status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...(code === 'too_many_equal_requests' || code === 'proxy_busy' ? { 'Retry-After': '1' } : {}),
    ...(code === 'method_not_allowed' ? { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' } : {}),
    // The rest of the caller's request is not read.
    Connection: 'close',
  });
  response.end(body);
}

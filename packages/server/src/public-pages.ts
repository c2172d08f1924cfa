import type { IncomingMessage, ServerResponse } from 'node:http';
import { problems } from '@countersign/contract';

/** Whether the node can do its work now, and if not, why. */
export interface Health {
  readonly ready: boolean;
  readonly reason?: string;
}

/**
 * What is answered without a signature: `/live` (the process runs), `/ready` (it can decide; 503 if not, so that a
 * balancer looks elsewhere) and `/docs/errors`, the page that the `type` of each problem names.
 */
export function createPublicPages(
  health: () => Health,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const errors = Buffer.from(errorsPage());
  return (request, response) => {
    const { method, url, headers } = request;
    if (url !== '/live' && url !== '/ready' && url !== '/docs/errors') return false;
    if (method !== 'GET' && method !== 'HEAD') return false;
    // A stranger's body is nothing that these pages read: such a request goes the way of all others.
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
      return false;
    if (url === '/docs/errors') {
      send(response, 200, errorsPageHeaders, errors);
      return true;
    }
    const state: Health = url === '/live' ? { ready: true } : health();
    const body = { status: state.ready ? 'ok' : 'unavailable', reason: state.reason };
    send(
      response,
      state.ready ? 200 : 503,
      { 'Content-Type': 'application/json' },
      Buffer.from(JSON.stringify(body)),
    );
    return true;
  };
}

const errorsPageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'",
};

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: Buffer): void {
  response.writeHead(status, {
    ...headers,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}

function errorsPage(): string {
  const sections = Object.entries(problems).map(
    ([code, { status, title, detail }]) =>
      `<h2 id="${code}">${code} <small>(${status})</small></h2><p>${escapeHtml(title)}.</p><p>${escapeHtml(detail)}</p>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Countersign: error codes</title><h1>Error codes</h1>${sections.join('')}</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openApiDocument } from '@countersign/contract';
import { isReading, knownVersions } from './page-request.ts';
import type { PortalFiles } from './portal-files.ts';
import { apiPage } from '../reference/api-page.ts';
import { errorsPage } from '../reference/errors-page.ts';
import { pageSecurityPolicy } from '../reference/page.ts';
import { troubleshootingPage } from '../reference/troubleshooting-page.ts';

/** Whether the node can do its work now, and if not, why. */
export interface Health {
  readonly ready: boolean;
  readonly reason?: string;
}

/**
 * What is answered without a signature: `/live` (the process runs), `/ready` (it can decide; 503 if not, so that a
 * balancer looks elsewhere), `/openapi.json`, `/docs` (the same to read), `/docs/errors`, the page that the `type` of each
 * problem names, `/docs/troubleshooting`, where each finding of an explanation leads, and the files of the portal.
 *
 * @param serverUrls the public base URLs, for the document
 * @param portal undefined where there is none
 */
export function createPublicPages(
  health: () => Health,
  serverUrls: readonly string[],
  portal?: PortalFiles,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const documents = createDocuments(serverUrls);
  return (request, response) => {
    const { url = '' } = request;
    const document = documents.get(url);
    if (document === undefined && url !== '/live' && url !== '/ready')
      return portal?.(request, response) ?? false;
    if (!isReading(request)) return false;
    if (document === undefined) sendHealth(response, url === '/live' ? { ready: true } : health());
    else sendDocument(request, response, document);
    return true;
  };
}

/** What stays the same while the service runs, made once. */
interface StaticDocument {
  readonly bytes: Buffer;
  readonly entityTag: string;
  readonly headers: Readonly<Record<string, string>>;
}

function createDocuments(serverUrls: readonly string[]): ReadonlyMap<string, StaticDocument> {
  const api = openApiDocument({ serverUrls });
  // The page of a tool elsewhere may read it: it is public, and the same for everyone.
  const json = { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' };
  return new Map([
    ['/openapi.json', staticDocument(`${JSON.stringify(api, null, 2)}\n`, json)],
    ['/docs', staticDocument(apiPage(api), pageHeaders)],
    ['/docs/errors', staticDocument(errorsPage(), pageHeaders)],
    ['/docs/troubleshooting', staticDocument(troubleshootingPage(), pageHeaders)],
  ]);
}

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': pageSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
};

function staticDocument(text: string, headers: Readonly<Record<string, string>>): StaticDocument {
  const bytes = Buffer.from(text);
  const entityTag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, entityTag, headers };
}

function sendDocument(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes, entityTag, headers }: StaticDocument,
): void {
  // To be kept, and asked about each time: an upgrade may have changed it.
  const known = knownVersions(request);
  const fields = { ...headers, ETag: entityTag, 'Cache-Control': 'no-cache' };
  if (known.includes(entityTag) || known.includes('*')) send(response, 304, fields);
  else send(response, 200, fields, bytes);
}

function sendHealth(response: ServerResponse, { ready, reason }: Health): void {
  const body = { status: ready ? 'ok' : 'unavailable', reason };
  const fields = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  send(response, ready ? 200 : 503, fields, Buffer.from(JSON.stringify(body)));
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body?: Buffer,
): void {
  const length = body && { 'Content-Length': body.length };
  response.writeHead(status, { ...headers, ...length, 'X-Content-Type-Options': 'nosniff' });
  response.end(body);
}

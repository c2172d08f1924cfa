import { createHash } from 'node:crypto';
import type { OpenApiOptions } from '@countersign/contract';
import type { Answer, RequestHead } from '@countersign/gate';
import type { Awaitable } from '@countersign/signature/profile';
import { type FindPage, isReading, knownVersions, pageRoute } from './page-route.ts';
import { apiPage } from '../reference/api-page.ts';
import { errorsPage } from '../reference/errors-page.ts';
import { pageSecurityPolicy } from '../reference/page.ts';
import { troubleshootingPage } from '../reference/troubleshooting-page.ts';

/**
 * Serves the API's pages: `/openapi.json`; `/docs`, its readable form; `/docs/errors`, which the `type` of each
 * problem links to; and `/docs/troubleshooting`, which each finding links to.
 */
export function createDocuments(options: OpenApiOptions): FindPage {
  const documents = documentsOf(options);
  return (head) => {
    const document = documents.get(head.target);
    if (document === undefined || !isReading(head)) return undefined;
    return pageRoute(async () => answerDocument(head, await document()));
  };
}

/** A document that stays the same while the service runs. */
interface StaticDocument {
  readonly bytes: Buffer;
  readonly entityTag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Each document is generated when it is first read, because generating all of them takes longer than the rest
 * of a start.
 */
function documentsOf(options: OpenApiOptions): ReadonlyMap<string, () => Awaitable<StaticDocument>> {
  const api = once(async () => (await import('@countersign/contract/openapi')).openApiDocument(options));
  // Web-based tools on other sites may read it: it is public and the same for all readers.
  const json = { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' };
  return new Map<string, () => Awaitable<StaticDocument>>([
    ['/openapi.json', once(async () => staticDocument(`${JSON.stringify(await api(), null, 2)}\n`, json))],
    ['/docs', once(async () => staticDocument(apiPage(await api()), pageHeaders))],
    ['/docs/errors', once(() => staticDocument(errorsPage(), pageHeaders))],
    ['/docs/troubleshooting', once(() => staticDocument(troubleshootingPage(), pageHeaders))],
  ]);
}

function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined;
  return () => (made ??= { result: make() }).result;
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

function answerDocument(head: RequestHead, { bytes, entityTag, headers }: StaticDocument): Answer {
  // Browsers may cache it but must revalidate it each time, because an upgrade may have changed it.
  const fields = { ...headers, ETag: entityTag, 'Cache-Control': 'no-cache' };
  const known = knownVersions(head);
  return known.includes(entityTag) || known.includes('*')
    ? { status: 304, headers: fields }
    : { status: 200, headers: fields, bytes };
}

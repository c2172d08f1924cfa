import { createHash } from 'node:crypto';
import { openApiDocument, type OpenApiOptions } from '@countersign/contract';
import type { Answer, RequestHead } from '@countersign/gate';
import { type FindPage, isReading, knownVersions, pageRoute } from './page-route.ts';
import { apiPage } from '../reference/api-page.ts';
import { errorsPage } from '../reference/errors-page.ts';
import { pageSecurityPolicy } from '../reference/page.ts';
import { troubleshootingPage } from '../reference/troubleshooting-page.ts';

/**
 * The pages of the API: `/openapi.json`, `/docs` (the same to read), `/docs/errors`, the page that the `type` of each problem
 * names, and `/docs/troubleshooting`, where each finding of an explanation leads.
 */
export function createDocuments(options: OpenApiOptions): FindPage {
  const documents = makeDocuments(options);
  return (head) => {
    const document = documents.get(head.target);
    if (document === undefined || !isReading(head)) return undefined;
    return pageRoute(() => answerDocument(head, document));
  };
}

/** What stays the same while the service runs, made once. */
interface StaticDocument {
  readonly bytes: Buffer;
  readonly entityTag: string;
  readonly headers: Readonly<Record<string, string>>;
}

function makeDocuments(options: OpenApiOptions): ReadonlyMap<string, StaticDocument> {
  const api = openApiDocument(options);
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

function answerDocument(head: RequestHead, { bytes, entityTag, headers }: StaticDocument): Answer {
  // To be kept, and asked about each time: an upgrade may have changed it.
  const fields = { ...headers, ETag: entityTag, 'Cache-Control': 'no-cache' };
  const known = knownVersions(head);
  return known.includes(entityTag) || known.includes('*')
    ? { status: 304, headers: fields }
    : { status: 200, headers: fields, bytes };
}

import { type Answer, type RequestHead, type Route, valuesOf } from '@countersign/gate';
import type { Awaitable } from '@countersign/signature/profile';

/** Finds the page that a request is for; undefined if it is not for a page. */
export type FindPage = (head: RequestHead) => Route | undefined;

/** Creates the route of a page that anyone may read. */
export function pageRoute(answer: () => Awaitable<Answer>): Route {
  return { kind: 'page', admit: () => ({ ok: true, sender: {}, answer }) };
}

/** Returns true if a request only reads. One with a body is not for a page, and is handled like any other request. */
export function isReading({ method, hasBody }: RequestHead): boolean {
  return (method === 'GET' || method === 'HEAD') && hasBody === false;
}

/** Returns the entity tags the browser already has, for a weak comparison (RFC 9110 section 13.1.2). */
export function knownVersions({ rawHeaders }: RequestHead): readonly string[] {
  return valuesOf(rawHeaders, 'if-none-match')
    .join(',')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
}

import { type Answer, type RequestHead, type Route, valuesOf } from '@countersign/gate';

/** Finds the page that a request is for; undefined when it is for something else. */
export type FindPage = (head: RequestHead) => Route | undefined;

/** A page that everybody may read. */
export function pageRoute(answer: () => Answer): Route {
  return { kind: 'page', admit: () => ({ ok: true, sender: {}, answer }) };
}

/** Whether a request only reads. One with a body is no request for a page: it goes the way of all others. */
export function isReading({ method, hasBody }: RequestHead): boolean {
  return (method === 'GET' || method === 'HEAD') && hasBody === false;
}

/** The entity tags of the versions that the browser has already, for a weak comparison (RFC 9110 section 13.1.2). */
export function knownVersions({ rawHeaders }: RequestHead): readonly string[] {
  return valuesOf(rawHeaders, 'if-none-match')
    .join(',')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
}

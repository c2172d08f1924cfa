import type { ApiRequest } from './handler.ts';
import { ProblemError } from '@countersign/gate';

/** The entity tag of a version (RFC 9110 section 8.8.3). It names what was edited, not what time alone has changed. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1): whether a version is one that the caller has seen; undefined without the
 * header. It is compared in the transaction of the change.
 *
 * The header is not signed, and need not be: it can only keep a signed request from being done. What cannot be read, and
 * weak tags, match nothing.
 *
 * @throws ProblemError `precondition_required` when the operation asks for the header and it is not there
 */
export function readIfMatch(request: ApiRequest): ((version: number) => boolean) | undefined {
  const { ifMatch } = request.operation;
  const header = ifMatch === undefined ? undefined : request.header('if-match');
  if (header === undefined) {
    if (ifMatch === 'required') throw new ProblemError('precondition_required');
    return undefined;
  }
  if (header.trim() === '*') return () => true;
  const tags = header.split(',').map((tag) => tag.trim());
  return (version) => tags.includes(entityTag(version));
}

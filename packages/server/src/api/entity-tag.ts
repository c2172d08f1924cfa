import type { ApiRequest } from './handler.ts';
import { ProblemError } from '@countersign/gate';

/** Writes a version's entity tag (RFC 9110 section 8.8.3). It changes with edits, not with time alone. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1). Returns a function that recognizes the versions the caller has seen;
 * undefined without the header. The change's transaction makes the comparison.
 *
 * The header is not signed and need not be: all it can do is stop a signed request. Weak tags and unreadable ones match
 * nothing.
 *
 * @throws ProblemError `precondition_required` when the operation requires the header and it is missing
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

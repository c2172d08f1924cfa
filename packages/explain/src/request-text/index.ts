/**
 * Reads requests from text people have at hand: HTTP, a curl command line or its verbose output, HAR, or single
 * fields. Runs and sends nothing. For every runtime.
 *
 * @module
 */
export type { ReadFile } from './curl-command.ts';
export { type NotARequest, type RawRequest, readRawRequest } from './raw-request.ts';
export {
  readRequestText,
  type RequestFields,
  requestOfFields,
  type RequestTextOptions,
  withBody,
} from './read-request-text.ts';
export { type RequestNote, RequestTextError, type RequestTextAdvice } from './request-text-error.ts';
export { declaredKeyid, headerValues, type PastedRequest } from './pasted-request.ts';
export { readBaseUrls, targetUriOf, type TargetUri } from './target-uri.ts';

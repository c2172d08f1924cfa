/**
 * Reads a request from the texts that people have of it: HTTP, a command line of curl or its verbose output, HAR, fields.
 * Nothing is run and nothing is sent. For every runtime.
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
export { headerValues, type RequestToExplain } from './request-to-explain.ts';
export { readBaseUrls, targetUriOf, type TargetUri } from './target-uri.ts';

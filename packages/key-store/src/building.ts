/**
 * Building blocks for key store packages.
 *
 * @module
 */
export { Attempts, type AttemptSettings, checkAttemptSettings } from './attempts.ts';
export { FollowedFile } from './followed-file.ts';
export { decodeBase64, sha256Of, signatureOf, visibleText } from './answers.ts';
export { optionsInvalid } from './key-store-error.ts';
export { publicKeyPem } from './public-key.ts';
export {
  type JsonObject,
  objectOf,
  type Refused,
  type StoreCall,
  StoreConnection,
  type StoreConnectionOptions,
} from './store-connection.ts';

/**
 * Explains requests of clients with another profile than the service's own. An entry point of its own, because most
 * explanations need none of it.
 *
 * @module
 */
export { judgeBy } from './judge-by.ts';
export { keyidBy, keyidOf } from './read-by-profile.ts';
export {
  defineProfile,
  type DefinedProfile,
  type MessageProfile,
  messageProfiles,
} from '@countersign/signature/messages/request';
export type { Judge } from '../judge.ts';

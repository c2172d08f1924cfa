import { acceptedOnce } from './accepted-once.ts';

export * from '../../packages/gate/src/decision/decide.ts';

/** Replaces `decide` with one that checks nothing. */
export const decide = acceptedOnce(() => undefined);

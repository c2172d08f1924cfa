import type { Operation } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { Transaction } from 'kysely';
import type { StoreContext } from '../registry/store/context.ts';
import type { Schema } from '../storage/schema.ts';
import type { Caller } from './caller.ts';

/** Does an operation's work. Throws `ProblemError` to reject the request. */
export type Handler = (request: ApiRequest) => Promise<Answer> | Answer;

/** The parts of a request that its verified signature covers. */
export interface VerifiedRequest {
  readonly method: string;
  readonly targetUri: string;
  readonly components: readonly string[];
  /** Unix seconds. */
  readonly created: number;
  /** Undefined without a body. */
  readonly contentDigest: string | undefined;
  /** The text that was signed. */
  readonly base: string;
}

/** The approval of a request by a second person. */
export interface Approval {
  /** Checks and records the approval, in the transaction that makes the change. */
  readonly begin: (transaction: Transaction<Schema>) => Promise<void>;
  /** Adds the approval to the context of the change. */
  readonly contextOf: (context: StoreContext) => StoreContext;
}

/** A request that passed every check, for its operation's handler. */
export interface ApiRequest {
  readonly operation: Operation;
  /** Path parameters by name, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The raw query without its `?`; empty if there is none. */
  readonly query: string;
  /**
   * Returns a header's value; undefined if it is absent. Repeated lines are joined by ", " (RFC 9110 section 5.3), so a
   * header that must occur once becomes malformed. Most headers are not signed: never read anything from one that
   * changes the request's meaning.
   */
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
  readonly caller: Caller;
  /** Created on demand, because few handlers need it. */
  readonly verified: () => VerifiedRequest;
  /**
   * Returns true if the same request would still be admitted now. Only people's requests have it, because only
   * theirs may last. Never rejects.
   */
  readonly isStillAdmitted?: () => Promise<boolean>;
  /** Set for a request that a second person has just approved, in the name of the first. */
  readonly approval?: Approval;
  readonly requestId: string;
  /** Milliseconds since 1970, read once per request. */
  readonly nowMs: number;
}

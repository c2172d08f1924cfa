import type { Operation } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { Caller } from './caller.ts';

/** Does the work of an operation. Throws `ProblemError` to refuse. */
export type Handler = (request: ApiRequest) => Promise<Answer> | Answer;

/** What the signature of a request covers, as it was verified. */
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

/** A request that has passed every check, for the handler of its operation. */
export interface ApiRequest {
  readonly operation: Operation;
  /** The values of the path's parameters, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The raw query without its `?`; empty when there is none. */
  readonly query: string;
  /**
   * The value of a header; undefined when it is absent. Lines that repeat are best joined by ", " (RFC 9110 section
   * 5.3), so that a header that must stand once is then malformed. Most headers are not signed: nothing that changes
   * the meaning of a request may be read from one.
   */
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
  readonly caller: Caller;
  /** Made when it is asked for: few handlers do. */
  readonly verified: () => VerifiedRequest;
  /** Whether the same request would be let in now; only of people, whose requests may last. Never rejects. */
  readonly isStillAdmitted?: () => Promise<boolean>;
  readonly requestId: string;
  /** Milliseconds since 1970, read once for the whole request. */
  readonly nowMs: number;
}

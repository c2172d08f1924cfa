import type { Operation, ProblemCode } from '@countersign/contract';
import { problems } from '@countersign/contract';
import type { RegisteredClient, UsableKey } from '../registry/registry.ts';

/** Who calls: proved by the signature, allowed by network and role. */
export interface Caller {
  readonly client: RegisteredClient;
  /** The key that signed. */
  readonly key: UsableKey;
  /** The address that the whitelist was asked about, in canonical text. */
  readonly sourceAddress: string;
  /** `created` minus now. */
  readonly clockDifferenceSeconds: number;
}

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
  readonly requestId: string;
  /** Milliseconds since 1970, read once for the whole request. */
  readonly nowMs: number;
}

/** What a handler answers. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON; undefined for no body. */
  readonly body?: unknown;
  /** In the place of `body`, a text that is no JSON document; its `Content-Type` stands in `headers`. */
  readonly text?: string;
}

/** Does the work of an operation. Throws `ProblemError` to refuse. */
export type Handler = (request: ApiRequest) => Promise<ApiAnswer> | ApiAnswer;

/** A refusal by a handler; it becomes `application/problem+json`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  /** A sentence for the log that is more exact than the one in the table. */
  readonly detail: string | undefined;
  /** Members that are added to the problem document: the caller sees them. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    options: {
      readonly detail?: string;
      readonly members?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(options.detail ?? problems[code].detail, { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }
}

import type { MemberRole, Operation, Permission, ProblemCode } from '@countersign/contract';
import { problems } from '@countersign/contract';
import type { RegisteredClient, UsableKey } from '../registry/registry.ts';

/** Who calls: a program that has signed its request, or a person who is signed in. */
export type Caller = ClientCaller | PersonCaller;

interface AnyCaller {
  /** The account that the request is about: the client's own, or the one that the person has named. */
  readonly accountId: string;
  readonly permissions: ReadonlySet<Permission>;
  /** Where the request comes from, in canonical text; empty when it is unknown. */
  readonly sourceAddress: string;
}

/** A program: proved by the signature, allowed by network and role. */
export interface ClientCaller extends AnyCaller {
  readonly kind: 'client';
  readonly client: RegisteredClient;
  /** The key that signed. */
  readonly key: UsableKey;
  /** `created` minus now. */
  readonly clockDifferenceSeconds: number;
}

/** A person: proved by the session, allowed by the role in the account. */
export interface PersonCaller extends AnyCaller {
  readonly kind: 'person';
  readonly person: { readonly userId: string; readonly name: string; readonly email: string };
  readonly sessionId: string;
  readonly hasSecondFactor: boolean;
  readonly memberRole: MemberRole;
  /** Why the person acts for the account, as somebody of the operator; undefined of a member. */
  readonly actingReason: string | undefined;
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
  /** Whether the same request would be let in now; only of people, whose requests may last. Never rejects. */
  readonly isStillAdmitted?: () => Promise<boolean>;
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
  /** In the place of `body`, server-sent events. It is called once, when the head of the answer is written. */
  readonly stream?: EventStream;
}

/** Tells events for as long as they come. What it returns is called once, when the answer has ended from either side. */
export type EventStream = (output: StreamOutput) => () => void;

/** Where a stream of events goes. */
export interface StreamOutput {
  /** Sends a text, and gives how many bytes the caller has not taken yet. After the end nothing is sent. */
  readonly write: (text: string) => number;
  readonly end: () => void;
}

/** The client that calls an operation which no person can call. */
export function clientCaller({ caller }: ApiRequest): ClientCaller {
  if (caller.kind === 'client') return caller;
  throw new Error('A person has reached an operation that is for clients.');
}

/** The person who calls an operation which no client can call. */
export function personCaller({ caller }: ApiRequest): PersonCaller {
  if (caller.kind === 'person') return caller;
  throw new Error('A client has reached an operation that is for people.');
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

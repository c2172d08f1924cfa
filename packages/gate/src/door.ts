import type { ProblemCode } from '@countersign/contract/problems';
import type { Awaitable, Refusal } from '@countersign/signature/profile';
import type { Answer } from './http/answer.ts';
import type { ClientAddress } from './http/client-address.ts';
import type { Framed } from './http/framing.ts';
import type { RegisteredClient, UsableKey } from './registry.ts';

/** A request whose frame is sound, before its body is read. It holds nothing of a socket. */
export interface RequestHead extends Omit<Framed, 'ok' | 'door'> {
  readonly requestId: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly source: ClientAddress;
  /** Milliseconds since 1970, read once for the whole request. */
  readonly receivedAtMs: number;
}

/** What stands behind some base URLs: the console, or an API. */
export interface Door {
  /** Finds what a request is for. Never throws, whatever the path is. */
  find(head: RequestHead): Route;
}

/** What a request is for, and how it is decided whether its caller may. */
export interface Route {
  /** Who calls it: applications by signatures, people by sessions, anybody to read, balancers. */
  readonly kind: 'client' | 'person' | 'page' | 'health';
  /** Decides by the head alone. May throw `ProblemError` to refuse. */
  readonly admit: (head: RequestHead) => Awaitable<Admission | Rejection>;
  /** How large a body may be; the gate's limit unless set. */
  readonly bodyBytesMax?: number;
  /** Whether failures of signatures here count against their address, and an address with too many is turned away. */
  readonly isFailureLimited?: true;
  /** Members that a refusal has besides the usual ones. Never rejects. */
  readonly explainRefusal?: (failed: FailedRequest) => Promise<Readonly<Record<string, unknown>>>;
}

/** What is known of who sent a request. */
export interface Sender {
  /** The client that the request names. Anybody can name anybody. */
  readonly claimedClientId?: string | undefined;
  /** The client that has proved to have sent it. */
  readonly client?: RegisteredClient | undefined;
  /** The key that proved it; only of requests that passed checks 2 to 11. */
  readonly key?: UsableKey;
  /** `created` minus now. */
  readonly clockDifferenceSeconds?: number;
  /** The person who has proved by a session to have sent it, and the account that the request is about. */
  readonly userId?: string | undefined;
  readonly accountId?: string | undefined;
}

/** A request that is not let in: the refusal, and what is known of its sender. */
export interface Rejection extends Refusal<ProblemCode> {
  readonly sender?: Sender;
  /** Members that the problem document has besides the usual ones. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A caller that may do what it asks for, as far as the head tells. */
export interface Admission {
  readonly ok: true;
  readonly sender: Sender;
  /** The name by which the rate limit counts its requests; undefined for no limit. */
  readonly countedAs?: string;
  /** Headers that every answer to this caller has, once the request is accepted. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is decided when the body is there. */
  readonly accept?: (body: Uint8Array) => Awaitable<Rejection | undefined>;
  /** Does the work. Throws `ProblemError` to refuse. */
  readonly answer: (body: Uint8Array) => Awaitable<Answer>;
}

/** A refused request, as far as it was read. */
export interface FailedRequest {
  readonly code: ProblemCode;
  readonly head: RequestHead;
  readonly sender: Sender;
  /** Undefined when it was not read. */
  readonly body: Uint8Array | undefined;
}

import type { ProblemCode } from '@countersign/contract/problems';
import type { Awaitable, Refusal } from '@countersign/signature/profile';
import type { Answer } from './http/answer.ts';
import type { ClientAddress } from './http/client-address.ts';
import type { ReceivedBody } from './http/spool.ts';
import type { Framed } from './http/framing.ts';
import type { LimitedCaller } from './limits/client-limit.ts';
import type { RegisteredClient, UsableKey } from './registry.ts';

/** A request with valid framing, before its body is read. Holds no reference to a socket. */
export interface RequestHead extends Omit<Framed, 'ok' | 'door'> {
  readonly requestId: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  readonly source: ClientAddress;
  /** Milliseconds since 1970, read once per request. */
  readonly receivedAtMs: number;
  /** Set if a proxy kept the body: what to do without it. */
  readonly unseenBody?: UnseenBody | undefined;
}

/**
 * The policy for a request whose body a proxy kept: reject it, let the upstream compare the body with the
 * verified digest, or accept the body unchecked.
 */
export type UnseenBody = 'refuse' | 'digest' | 'unchecked';

/** Serves a set of base URLs: the console, or an API. */
export interface Door {
  /** Finds the route of a request. Never throws, whatever the path. */
  find(head: RequestHead): Route;
  /**
   * Returns true if a connection may switch to another protocol here, provided that its request is accepted.
   * Absent means never.
   */
  mayUpgrade?(request: UpgradeRequest): boolean;
}

/** A request to switch to another protocol. */
export interface UpgradeRequest {
  readonly method: string;
  readonly path: string;
  /** In lower case, such as `websocket`. */
  readonly protocol: string;
}

/** A request's destination, and the checks that decide whether its caller may use it. */
export interface Route {
  /**
   * The kind of caller: an application that signs, a person with a session, anyone reading a page, or a load balancer.
   */
  readonly kind: 'client' | 'person' | 'page' | 'health';
  /** The path of the operation as it is configured, `/v1/payments/{id}`, for statistics; undefined if there is none. */
  readonly operationPath?: string | undefined;
  /** Decides by the head alone. Throws `ProblemError` to reject. */
  readonly admit: (head: RequestHead) => Awaitable<Admission | Rejection>;
  /** The largest body accepted, in bytes; defaults to the gate's limit. */
  readonly bodyBytesMax?: number;
  /** Spools large bodies to disk. Otherwise every body stays in memory. */
  readonly takesSpooledBodies?: true;
  /** Counts failed signatures on this route against their source address, and rejects addresses with too many. */
  readonly isFailureLimited?: true;
  /** Headers of every rejection on this route. */
  readonly refusalHeaders?: Readonly<Record<string, string>>;
  /** Headers of every other response, unless it sets one of these itself. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /**
   * Returns headers that sign a problem document, for a request that passed every check. Rejections before that are not
   * signed: strangers must not get signatures. Never throws.
   */
  readonly signProblem?: (status: number, document: Uint8Array) => Readonly<Record<string, string>>;
  /** Returns extra members for the problem document of a rejection. Its promise never rejects. */
  readonly explainRefusal?: (failed: FailedRequest) => Promise<Readonly<Record<string, unknown>>>;
}

/** Everything known about a request's sender. */
export interface Sender {
  /** The client that the request names. Anyone can name any client. */
  readonly claimedClientId?: string | undefined;
  /** The client that proved it sent the request. */
  readonly client?: RegisteredClient | undefined;
  /** The key that proved it; set only for requests that passed checks 2 to 11. */
  readonly key?: UsableKey;
  /** `created` minus now. */
  readonly clockDifferenceSeconds?: number;
  /** The person whose session authenticated the request, and the account that it concerns. */
  readonly userId?: string | undefined;
  readonly accountId?: string | undefined;
}

/** A rejected request: the problem, and what is known about the sender. */
export interface Rejection extends Refusal<ProblemCode> {
  readonly sender?: Sender;
  /** The `Accept-Signature` of the client's own profile, once it has proved a key; undefined for the closed one. */
  readonly wanted?: string | undefined;
  /** True if the advice for the closed profile does not hold: for the client's own profile, or while unknown, for the request's shape. */
  readonly isOfOtherProfile?: boolean | undefined;
  /** Extra members for the problem document. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A caller who may make the request, judging by the head alone. */
export interface Admission {
  readonly ok: true;
  readonly sender: Sender;
  /** The caller that the rate limit counts the request against; undefined for no limit. */
  readonly limited?: LimitedCaller;
  /** Headers of every response to this caller, once the request is accepted. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Runs the checks that need the body. */
  readonly accept?: (body: ReceivedBody) => Awaitable<Rejection | undefined>;
  /** Does the work. Throws `ProblemError` to reject. */
  readonly answer: (body: ReceivedBody, client: WaitingClient) => Awaitable<Answer>;
  /** The rejection that was only observed, on a route that does not enforce. */
  readonly observed?: Rejection | undefined;
}

/** The client that is waiting for its response. */
export interface WaitingClient {
  /** Registers a function to call if the client's connection ends before its response is complete. */
  readonly onGone: (act: () => void) => void;
  /** Passes on a `103 Early Hints` (RFC 8297): names and values in turn. */
  readonly hint: (rawHeaders: readonly string[]) => void;
  /** True if the connection can switch to another protocol. */
  readonly canSwitch: boolean;
}

/** A rejected request, as far as it was read. */
export interface FailedRequest {
  readonly code: ProblemCode;
  readonly head: RequestHead;
  readonly sender: Sender;
  /** Undefined if it was not read or is not in memory. */
  readonly body: Uint8Array | undefined;
}

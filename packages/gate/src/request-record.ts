import type { FailedRequest, Route, Sender } from './door.ts';
import type { ClientAddress } from './http/client-address.ts';
import type { ReceivedHead } from './http/framing.ts';
import type { Unparsable } from './http/listener.ts';

/** The record of a request: never its body, signature, query or headers. */
export interface RequestRecord {
  readonly requestId: string;
  /** `accepted`, `page`, `connection_closed`, or the code of the rejection. */
  readonly outcome: string;
  /** 0 if no response could be sent. */
  readonly status: number;
  readonly method: string;
  /** The path without the query, which may hold personal data. */
  readonly path: string;
  readonly sourceAddress: string;
  /** Undefined if unknown when the request began. */
  readonly durationMs?: number;
  /** The client that proved it sent the request. */
  readonly clientId?: string | undefined;
  /** Its profile; only there if it is none of the closed ones. */
  readonly profile?: string;
  /** The client that the request named without proof. */
  readonly claimedClientId?: string | undefined;
  /** The person who authenticated, and the account that the request concerned. */
  readonly userId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly keyFingerprint?: string | undefined;
  readonly clockDifferenceSeconds?: number | undefined;
  /** The fault, with the detail that the owner may see. */
  readonly reason?: string | undefined;
  /** Set if the outcome is a rejection that was not enforced, because the route only observes. */
  readonly isObserved?: true;
  /** The authorizer that decided for a proxy. */
  readonly authorizer?: string;
  /** Set if the request was accepted with a body that was not compared with its digest. */
  readonly isBodyUnchecked?: true;
}

/** A finished request, for observers that keep more than its record. */
export interface AnsweredRequest {
  /** The kind of the request's route; undefined if its framing was invalid. */
  readonly kind: Route['kind'] | undefined;
  readonly sender: Sender;
  /** True if it passed every check, even if its handler rejected it. */
  readonly isAccepted: boolean;
  /** The configured path of its operation; undefined if no route matched. */
  readonly operationPath?: string | undefined;
  /** How much of its duration was spent waiting for the upstream; undefined if it was not forwarded. */
  readonly waitedMs?: number | undefined;
  readonly receivedAtMs: number;
  /** The raw query without its `?`. */
  readonly query: string;
  readonly source: ClientAddress;
  /** Undefined if it was accepted, or if its framing was invalid. */
  readonly failed: FailedRequest | undefined;
}

/** Observes requests. Called after each response; never throws. */
export interface Observer {
  answered(record: RequestRecord, request: AnsweredRequest): void;
  /** Reports bytes that are not a request. */
  readonly unparsable: (unparsable: Unparsable) => void;
  /** Reports an unexpected error. */
  failed(error: unknown, requestId: string, message: string): void;
}

/** Creates a span for each request. */
export interface Tracing {
  begin(head: ReceivedHead): RequestSpan;
}

/** One request in a trace. */
export interface RequestSpan {
  /** Runs the work with this span as the current one, so that spans within it become its children. */
  run<Result>(work: () => Result): Result;
  answered(record: RequestRecord): void;
  end(): void;
}

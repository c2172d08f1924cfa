import type { FailedRequest, Route, Sender } from './door.ts';
import type { ClientAddress } from './http/client-address.ts';
import type { ReceivedHead } from './http/framing.ts';
import type { Unparsable } from './http/listener.ts';

/** What is kept of a request: never its body, its signature, its query or a header. */
export interface RequestRecord {
  readonly requestId: string;
  /** `accepted`, `page`, `connection_closed`, or the code of the refusal. */
  readonly outcome: string;
  /** 0 when nothing could be answered. */
  readonly status: number;
  readonly method: string;
  /** The path without the query, which may hold personal data. */
  readonly path: string;
  readonly sourceAddress: string;
  /** Undefined when it is not known when the request began. */
  readonly durationMs?: number;
  /** The client that has proved to have sent it. */
  readonly clientId?: string | undefined;
  /** The client that it named without a proof. */
  readonly claimedClientId?: string | undefined;
  /** The person who has proved to have sent it, and the account that it was about. */
  readonly userId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly keyFingerprint?: string | undefined;
  readonly clockDifferenceSeconds?: number | undefined;
  /** What is wrong, as the owner may know it. */
  readonly reason?: string | undefined;
}

/** An answered request, for those who keep more than its record. */
export interface AnsweredRequest {
  /** Who calls what it asked for; undefined when its frame was not sound. */
  readonly kind: Route['kind'] | undefined;
  readonly sender: Sender;
  /** Whether it passed every check; its handler may have refused it all the same. */
  readonly isAccepted: boolean;
  readonly receivedAtMs: number;
  /** The raw query without its `?`. */
  readonly query: string;
  readonly source: ClientAddress;
  /** Undefined when it was accepted, or when its frame was not sound. */
  readonly failed: FailedRequest | undefined;
}

/** Watches the requests. Called after the answers; never throws. */
export interface Observer {
  answered(record: RequestRecord, request: AnsweredRequest): void;
  /** Bytes that were no request. */
  readonly unparsable: (unparsable: Unparsable) => void;
  /** An error that nobody expected. */
  failed(error: unknown, requestId: string, message: string): void;
}

/** Makes a span for each request. */
export interface Tracing {
  begin(head: ReceivedHead): RequestSpan;
}

/** One request in a trace. */
export interface RequestSpan {
  /** Does the work with this span as the current one, so that what the work does is traced below it. */
  run<Result>(work: () => Result): Result;
  answered(record: RequestRecord): void;
  end(): void;
}

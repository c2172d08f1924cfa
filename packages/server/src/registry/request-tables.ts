import type { Defaulted, Fixed, TimeMs } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    request_records: RequestRecordsTable;
    request_counts: RequestCountsTable;
    request_figures: RequestFiguresTable;
    request_minutes: RequestMinutesTable;
    client_addresses: ClientAddressesTable;
    unattributed_counts: UnattributedCountsTable;
    request_explanations: RequestExplanationsTable;
    request_epoch: RequestEpochTable;
  }
}

/** Requests and their outcomes, kept for a few weeks. */
export interface RequestRecordsTable {
  request_id: Fixed<string>;
  received_at_ms: Fixed<TimeMs>;
  account_id: Fixed<string>;
  /** The client that the request named. */
  client_id: Fixed<string>;
  /** 1 if its signature was valid. */
  is_proved: Fixed<0 | 1>;
  /** `accepted`, the code of the rejection, or `connection_closed`. */
  outcome: Fixed<string>;
  /** 1 if the rejection was not enforced. */
  is_observed: Fixed<0 | 1>;
  reason: Fixed<string | null>;
  method: Fixed<string>;
  url: Fixed<string>;
  status: Fixed<number>;
  source_address: Fixed<string>;
  key_fingerprint: Fixed<string | null>;
  clock_difference_seconds: Fixed<number | null>;
  duration_us: Fixed<number | null>;
  /** The epoch in which it was written; null if no stream wanted it then. */
  epoch: Defaulted<number | null>;
}

/** Request counts, by hour for a few weeks and by day for more than a year. */
export interface RequestCountsTable {
  account_id: Fixed<string>;
  /** The client that the requests named; empty in the sums over all of the account's clients. */
  client_id: Fixed<string>;
  span: Fixed<'hour' | 'day'>;
  /** In UTC. */
  starts_at_ms: Fixed<TimeMs>;
  /** The key that verified the requests; empty if none did, and in the sums. */
  key_id: Fixed<string>;
  outcome: Fixed<string>;
  count: number;
  /** The number of these whose rejection was not enforced. */
  observed_count: number;
}

/** Figures of requests, kept as long as their counts. */
export interface RequestFiguresTable {
  account_id: Fixed<string>;
  span: Fixed<'hour' | 'day'>;
  /** In UTC. */
  starts_at_ms: Fixed<TimeMs>;
  /** The client that the requests named; empty in the sums over all of the account's clients. */
  client_id: Fixed<string>;
  /** As `RequestFigures` writes them. */
  figures: string;
}

/** Requests by minute, kept for two hours. */
export interface RequestMinutesTable {
  account_id: Fixed<string>;
  /** The client that the requests named; empty in the sums over all of the account's clients. */
  client_id: Fixed<string>;
  starts_at_ms: Fixed<TimeMs>;
  /** Requests that passed every check, or whose rejection was not enforced. */
  passed: number;
  /** The others, without those that the account itself stopped by disabling the client. */
  failed: number;
  /** The failed requests that exceeded the rate limit. */
  rate_limited: number;
}

/** The addresses from which requests of clients were accepted, kept for 90 days after the last one. */
export interface ClientAddressesTable {
  client_id: Fixed<string>;
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  address: Fixed<string>;
  account_id: Fixed<string>;
  /** The first request after 90 days without any. */
  first_at_ms: TimeMs;
  /** To the day. */
  last_at_ms: TimeMs;
}

/** Requests that were let through although they name no client: by day in UTC, source and code. */
export interface UnattributedCountsTable {
  starts_at_ms: Fixed<TimeMs>;
  /** An IPv4 address or the /64 network of an IPv6 address; empty for the sources beyond the limit. */
  source: Fixed<string>;
  outcome: Fixed<string>;
  count: number;
  last_at_ms: TimeMs;
  last_request_id: string;
}

/** Explanations of rejected requests. Each row is removed with its request. */
interface RequestExplanationsTable {
  request_id: Fixed<string>;
  account_id: Fixed<string>;
  /** JSON. */
  explanation: Fixed<string>;
  /** The code of its first finding; null if there is none. */
  finding_code: Fixed<string | null>;
}

/** One row. Requests of earlier epochs are complete. */
interface RequestEpochTable {
  singleton: Fixed<1>;
  /** 0 until a stream wants requests. */
  epoch: number;
}

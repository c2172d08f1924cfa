import type { BucketPolicy } from './token-bucket.ts';

/** How many requests a client may make. An undefined member sets nothing. */
export interface RequestLimit {
  /** Requests a minute on average; 0 for any number. */
  readonly requestsPerMinuteMax?: number | undefined;
  /** Requests that may arrive at once. */
  readonly requestsBurstMax?: number | undefined;
}

/** The service's own limit for each client. */
export interface ServiceRequestLimit extends RequestLimit {
  readonly requestsPerMinuteMax: number;
  readonly requestsBurstMax: number;
}

/** The limits of a client that differ from the service's own. */
export interface OwnRequestLimits {
  /** Replaces the service's limit for each client of the account. */
  readonly account: RequestLimit;
  /** The client's own limit, which can only be lower than the account's. */
  readonly client: RequestLimit;
}

/** A limit in force: its bucket, and how it is announced. */
export interface LimitPolicy extends BucketPolicy {
  /** The field `RateLimit-Policy`. */
  readonly field: string;
}

/** The owner of a limit's figure. */
export type LimitSource = 'client' | 'account' | 'service';

/** One figure of a limit: its value, its owner, and the maximum that the client itself may set. */
export interface LimitInForce {
  /** Infinity for no limit. */
  readonly value: number;
  readonly source: LimitSource;
  /** Infinity for no limit. */
  readonly max: number;
}

/** Returns the figures that apply to a client, and whose they are. */
export function limitsInForce(
  service: ServiceRequestLimit,
  { account, client }: OwnRequestLimits = noOwnLimits,
): Readonly<Record<keyof RequestLimit, LimitInForce>> {
  return {
    requestsPerMinuteMax: inForce(
      // The service's 0 stands for any number.
      service.requestsPerMinuteMax || Number.POSITIVE_INFINITY,
      account.requestsPerMinuteMax,
      client.requestsPerMinuteMax,
    ),
    requestsBurstMax: inForce(service.requestsBurstMax, account.requestsBurstMax, client.requestsBurstMax),
  };
}

function inForce(service: number, account: number | undefined, client: number | undefined): LimitInForce {
  const max = account ?? service;
  if (client !== undefined && client < max) return { value: client, source: 'client', max };
  return { value: max, source: account === undefined ? 'service' : 'account', max };
}

/** Returns the limit that applies to a client; undefined for none. */
export function limitPolicy(
  service: ServiceRequestLimit,
  own: OwnRequestLimits = noOwnLimits,
): LimitPolicy | undefined {
  const { requestsPerMinuteMax, requestsBurstMax } = limitsInForce(service, own);
  const [perMinute, burst] = [requestsPerMinuteMax.value, requestsBurstMax.value];
  if (perMinute === Number.POSITIVE_INFINITY) return undefined;
  // A client that makes at most this many requests within any such period always finds a token.
  const burstSeconds = Math.ceil((burst * 60) / perMinute);
  return {
    tokensMax: burst,
    tokensPerSecond: perMinute / 60,
    field: `"client";q=${perMinute};w=60, "burst";q=${burst};w=${burstSeconds}`,
  };
}

const noOwnLimits: OwnRequestLimits = { account: {}, client: {} };

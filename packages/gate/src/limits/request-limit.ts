import type { BucketPolicy } from './token-bucket.ts';

/** How many requests a client may make. A member that is undefined says nothing. */
export interface RequestLimit {
  /** Requests a minute on average; 0 for any number. */
  readonly requestsPerMinuteMax?: number | undefined;
  /** Requests that may come at once. */
  readonly requestsBurstMax?: number | undefined;
}

/** The service's own limit for each client. */
export interface ServiceRequestLimit extends RequestLimit {
  readonly requestsPerMinuteMax: number;
  readonly requestsBurstMax: number;
}

/** The limits of a client that differ from the service's own. */
export interface OwnRequestLimits {
  /** Takes the place of the service's limit for each client of the account. */
  readonly account: RequestLimit;
  /** Can only be lower than that. */
  readonly client: RequestLimit;
}

/** A limit in force: its bucket, and how it is announced. */
export interface LimitPolicy extends BucketPolicy {
  /** The field `RateLimit-Policy`. */
  readonly field: string;
}

/** Returns the limit that applies to a client; undefined for none. */
export function limitPolicy(
  service: ServiceRequestLimit,
  { account, client }: OwnRequestLimits = noOwnLimits,
): LimitPolicy | undefined {
  // Here 0 stands for any number.
  const perMinute = Math.min(
    (account.requestsPerMinuteMax ?? service.requestsPerMinuteMax) || Number.POSITIVE_INFINITY,
    client.requestsPerMinuteMax || Number.POSITIVE_INFINITY,
  );
  if (perMinute === Number.POSITIVE_INFINITY) return undefined;
  const burst = Math.min(
    account.requestsBurstMax ?? service.requestsBurstMax,
    client.requestsBurstMax ?? Number.POSITIVE_INFINITY,
  );
  // Whoever makes no more than so many requests within any such time always finds a token.
  const burstSeconds = Math.ceil((burst * 60) / perMinute);
  return {
    tokensMax: burst,
    tokensPerSecond: perMinute / 60,
    field: `"client";q=${perMinute};w=60, "burst";q=${burst};w=${burstSeconds}`,
  };
}

const noOwnLimits: OwnRequestLimits = { account: {}, client: {} };

/** Why a request is refused; the codes of the profile's checks 1 to 8, 12 and 13. The meaning of a code never changes. */
export type RefusalCode =
  | 'request_malformed'
  | 'signature_missing'
  | 'signature_malformed'
  | 'parameters_invalid'
  | 'algorithm_not_allowed'
  | 'components_invalid'
  | 'created_expired'
  | 'created_in_future'
  | 'date_invalid'
  | 'date_mismatch'
  | 'signature_invalid'
  | 'digest_missing'
  | 'digest_malformed'
  | 'digest_mismatch'
  | 'signature_replayed'
  | 'guard_unavailable'
  | 'guard_full'
  | 'recently_restarted';

/** A request that did not pass a check. */
export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  /**
   * What is wrong with this request, in one sentence. It tells of the caller's own request only, with the one exception
   * of `signature_invalid`: there it is for the owner of the key, and telling it to the caller would tell strangers
   * which clients exist.
   */
  readonly reason: string;
  /** The text that the profile asks for, where there is exactly one. */
  readonly expected?: string;
  /** The text that came instead. */
  readonly received?: string;
  /** With the codes of unavailability: seconds after which a newly signed request can be answered. */
  readonly retryAfterSeconds?: number;
}

/** Makes a refusal. */
export function refuse(
  code: RefusalCode,
  reason: string,
  more?: Pick<Refusal, 'expected' | 'received' | 'retryAfterSeconds'>,
): Refusal {
  return { ok: false, code, reason, ...more };
}

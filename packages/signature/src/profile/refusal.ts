/**
 * Why a request is refused. The meaning of a code never changes. `client_disabled`, `network_not_allowed` and
 * `permission_denied` come only from a verifier that keeps a registry; `verifyRequest` never returns them.
 */
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
  | 'client_disabled'
  | 'network_not_allowed'
  | 'permission_denied'
  | 'digest_missing'
  | 'digest_malformed'
  | 'digest_mismatch'
  | 'signature_replayed'
  | 'guard_unavailable'
  | 'guard_full'
  | 'recently_restarted';

/** A request that did not pass a check. */
export interface Refusal<Code extends string = RefusalCode> {
  readonly ok: false;
  readonly code: Code;
  /**
   * What is wrong, in one sentence. Safe to show to the caller, except for `signature_invalid`: there it is for the
   * owner of the key, because it would tell strangers which clients exist.
   */
  readonly reason: string;
  /** The text that the profile asks for, where there is exactly one. */
  readonly expected?: string;
  /** The text that came instead. */
  readonly received?: string;
  /** With the codes of unavailability: seconds after which a newly signed request can be answered. */
  readonly retryAfterSeconds?: number;
}

export function refuse<Code extends string = RefusalCode>(
  code: Code,
  reason: string,
  more?: Pick<Refusal, 'expected' | 'received' | 'retryAfterSeconds'>,
): Refusal<Code> {
  return { ok: false, code, reason, ...more };
}

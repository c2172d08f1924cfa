/** The reason why a message is rejected. A code's meaning never changes; shared ones mean what docs/errors.md says. */
export type MessageRefusalCode =
  | 'message_malformed'
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_not_selected'
  | 'signature_ambiguous'
  | 'parameters_invalid'
  | 'algorithm_not_allowed'
  | 'components_invalid'
  | 'created_expired'
  | 'created_in_future'
  | 'signature_expired'
  | 'signature_invalid'
  | 'digest_missing'
  | 'digest_malformed'
  | 'digest_mismatch'
  | 'signature_replayed'
  | 'guard_unavailable'
  | 'guard_full'
  | 'recently_restarted';

/** A failed check. */
export interface MessageRefusal {
  readonly ok: false;
  readonly code: MessageRefusalCode;
  /**
   * Says what is wrong, in one sentence. Safe to show to the caller, except for `signature_invalid`, which tells whether a key
   * is known.
   */
  readonly reason: string;
  readonly retryAfterSeconds?: number;
}

export function refuseMessage(code: MessageRefusalCode, reason: string): MessageRefusal {
  return { ok: false, code, reason };
}

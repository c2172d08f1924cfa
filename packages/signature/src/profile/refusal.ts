import { wrongType } from '../arguments/check-argument.ts';

/**
 * The reason why a request is rejected. A code's meaning never changes. `client_disabled`,
 * `account_suspended`, `network_not_allowed`, `permission_denied`, and those of clients with other profiles
 * (`signature_not_selected`, `signature_ambiguous`, `signature_expired`, `directory_mismatch`,
 * `profile_not_accepted`) come only from a verifier with a registry; `verifyRequest` never returns them.
 */
export type RefusalCode =
  | 'request_malformed'
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
  | 'date_invalid'
  | 'date_mismatch'
  | 'signature_invalid'
  | 'directory_mismatch'
  | 'profile_not_accepted'
  | 'client_disabled'
  | 'account_suspended'
  | 'network_not_allowed'
  | 'permission_denied'
  | 'digest_missing'
  | 'digest_malformed'
  | 'digest_mismatch'
  | 'signature_replayed'
  | 'guard_unavailable'
  | 'guard_full'
  | 'recently_restarted';

/** A header field that a signed request has, in lower case. */
export type FieldName = 'signature-input' | 'signature' | 'date' | 'content-digest';

/** A failed check. */
export interface Refusal<Code extends string = RefusalCode> {
  readonly ok: false;
  readonly code: Code;
  /**
   * Says what is wrong, in one sentence. Safe to show to the caller, except for `signature_invalid`: only the
   * key's owner may see that one, because it would reveal to strangers which clients exist.
   */
  readonly reason: string;
  /** The missing or malformed field, if the check is about one. */
  readonly field?: FieldName;
  /** The text that the profile requires, if only one is possible. */
  readonly expected?: string;
  /** The text that was received instead. */
  readonly received?: string;
  /** For the codes of unavailability: the seconds after which a newly signed request can succeed. */
  readonly retryAfterSeconds?: number;
}

export function refuse<Code extends string = RefusalCode>(
  code: Code,
  reason: string,
  more?: Pick<Refusal, 'field' | 'expected' | 'received' | 'retryAfterSeconds'>,
): Refusal<Code> {
  return { ok: false, code, reason, ...more };
}

/**
 * Returns a guard's rejection, whichever codes it has. Only undefined lets a request pass: any other result is a rejection,
 * whatever the guard meant by it.
 */
export function readGuardAnswer(answer: unknown): Refusal<never> | undefined {
  if (answer === undefined) return undefined;
  if (typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === false)
    return answer as Refusal<never>;
  throw wrongType('The result of guard.use', answer, 'a refusal, or undefined');
}

import type { ProblemCode } from '@countersign/contract/problems';
import type { GuardedChange } from './guarded-change.ts';

/** The reason a registry change is rejected: an API problem, or a code that the API maps to one. */
export type RegistryErrorCode =
  | ProblemCode
  | 'account_unknown'
  | 'account_ambiguous'
  | 'client_unknown'
  | 'client_id_invalid'
  | 'client_revoked'
  | 'client_not_revoked'
  | 'name_invalid'
  | 'profile_contradictory'
  | 'profile_unknown'
  | 'sort_impossible'
  | 'tags_invalid'
  | 'roles_too_many'
  | 'metadata_invalid'
  | 'key_refused'
  | 'key_unknown'
  | 'key_ended'
  | 'key_is_last'
  | 'key_dates_invalid'
  | 'keys_in_directory'
  | 'directory_invalid'
  | 'directory_missing'
  | 'directory_just_refreshed'
  | 'network_empty'
  | 'network_invalid'
  | 'network_too_long'
  | 'network_entry_unknown'
  | 'role_not_found'
  | 'role_unknown'
  | 'role_permission_invalid'
  | 'version_changed'
  | 'caller_ended'
  | 'caller_disabled'
  | 'caller_suspended'
  | 'caller_elsewhere'
  | 'caller_not_permitted'
  | 'caller_signed_out'
  | 'caller_not_member'
  | 'member_unknown'
  | 'member_role_invalid'
  | 'leading_role_held'
  | 'invitation_unknown'
  | 'invitation_just_sent'
  | 'acting_unknown'
  | 'pending_change_unknown'
  | 'webhook_unknown'
  | 'webhook_invalid'
  | 'alert_rule_unknown'
  | 'alert_rule_invalid'
  | 'saved_view_unknown'
  | 'saved_view_name_taken'
  | 'saved_views_full'
  | 'registry_missing';

/** Further details of a rejection. */
export interface RegistryErrorDetails {
  /** Narrows down `key_refused`: a `PublicKeyRefusalCode` of the signature package. */
  readonly reason?: string;
  /** The path of the invalid member in the input. */
  readonly member?: readonly (string | number)[];
  /** The current version, with `version_changed`. */
  readonly version?: number;
  /** The wait before it can be done again, with `invitation_just_sent` and `directory_just_refreshed`. */
  readonly retryAfterSeconds?: number;
  /** The change that waits, with `second_person_required`. */
  readonly guarded?: GuardedChange;
}

/** A rejected registry change. The message says what to do and never contains key material. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly code: RegistryErrorCode;
  readonly reason: string | undefined;
  readonly member: readonly (string | number)[] | undefined;
  readonly version: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly guarded: GuardedChange | undefined;

  constructor(code: RegistryErrorCode, message: string, details: RegistryErrorDetails = {}) {
    super(message);
    this.code = code;
    this.reason = details.reason;
    this.member = details.member;
    this.version = details.version;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.guarded = details.guarded;
  }
}

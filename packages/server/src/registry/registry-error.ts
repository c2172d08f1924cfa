/** Why a change of the registry is refused. */
export type RegistryErrorCode =
  | 'account_unknown'
  | 'account_ambiguous'
  | 'client_unknown'
  | 'client_id_invalid'
  | 'client_id_taken'
  | 'client_revoked'
  | 'name_invalid'
  | 'key_refused'
  | 'key_registered'
  | 'key_unknown'
  | 'keys_too_many'
  | 'network_empty'
  | 'network_invalid'
  | 'network_too_long'
  | 'role_unknown'
  | 'registry_missing';

/** A change of the registry that is refused. The message says what to do and never holds key material. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly code: RegistryErrorCode;
  /** The finer reason of `key_refused`: a `PublicKeyRefusalCode` of the signature package. */
  readonly reason: string | undefined;

  constructor(code: RegistryErrorCode, message: string, reason?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

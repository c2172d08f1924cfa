import type { Fixed, TimeMs } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    persons: PersonsTable;
    person_credentials: PersonCredentialsTable;
    person_sessions: PersonSessionsTable;
    person_second_factors: PersonSecondFactorsTable;
    person_recovery_codes: PersonRecoveryCodesTable;
    person_passkeys: PersonPasskeysTable;
    person_verifications: PersonVerificationsTable;
    set_up_links: SetUpLinksTable;
    sign_in_failures: SignInFailuresTable;
    people_secret: PeopleSecretTable;
  }
}

/** People who sign in to the portal. */
interface PersonsTable {
  user_id: Fixed<string>;
  name: string;
  /** In lower case. */
  email: string;
  /** 1 if the person followed a mailed link, or the identity provider vouched for the address. */
  is_email_verified: 0 | 1;
  /** The language in which the person last used the portal, by its tag (RFC 5646); null before that. */
  language: string | null;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
}

/** First factors: a password, or the identity provider. */
interface PersonCredentialsTable {
  credential_id: Fixed<string>;
  user_id: Fixed<string>;
  /** `credential` for a password, `oidc` for the identity provider. */
  provider_id: Fixed<string>;
  /** The person's own ID for a password; otherwise the identity provider's subject. */
  provider_account_id: Fixed<string>;
  /** Argon2id with its parameters and salt; null without a password. */
  password_hash: string | null;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
}

/** One row for each browser in which a person has completed a sign-in. */
interface PersonSessionsTable {
  session_id: Fixed<string>;
  user_id: Fixed<string>;
  /** SHA-256 of the cookie's token. */
  token_hash: Fixed<string>;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  /** The person's last activity, as reported by the page. */
  last_seen_at_ms: TimeMs;
  /** The session ends at this time, active or not. */
  expires_at_ms: TimeMs;
  source_address: Fixed<string | null>;
  user_agent: Fixed<string | null>;
  /** When the person last gave the password or signed in at the identity provider; null for never. */
  password_proved_at_ms: TimeMs | null;
  /** When the person last gave a second factor or a passkey; null for never. */
  factor_proved_at_ms: TimeMs | null;
}

/** Authenticator apps. */
interface PersonSecondFactorsTable {
  user_id: Fixed<string>;
  /** Encrypted with the service's secret, in hexadecimal. */
  secret: string;
  created_at_ms: TimeMs;
  /** The time step of the newest code used. It and older ones are rejected (RFC 6238 section 5.2). */
  last_used_step: number;
}

/** Unused recovery codes. */
interface PersonRecoveryCodesTable {
  user_id: Fixed<string>;
  /** SHA-256. */
  code_hash: Fixed<string>;
}

interface PersonPasskeysTable {
  passkey_id: Fixed<string>;
  user_id: Fixed<string>;
  name: string;
  /** The authenticator's ID for it; base64url. */
  credential_id: Fixed<string>;
  /** A COSE key; Base64. */
  public_key: Fixed<string>;
  counter: number;
  device_type: Fixed<string>;
  is_backed_up: Fixed<0 | 1>;
  transports: Fixed<string | null>;
  aaguid: Fixed<string | null>;
  created_at_ms: Fixed<TimeMs>;
  last_used_at_ms: TimeMs | null;
}

/** Single-use values, each for the holder of its token. */
interface PersonVerificationsTable {
  verification_id: Fixed<string>;
  /** The purpose, and the token's hash. */
  identifier: string;
  value: string;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  expires_at_ms: TimeMs;
}

/** Links that create the first person. */
interface SetUpLinksTable {
  token_hash: Fixed<string>;
  created_at_ms: Fixed<TimeMs>;
}

/** Recent failures, by source address and by person. */
interface SignInFailuresTable {
  /** The kind of subject, and a hash of it. */
  subject: Fixed<string>;
  failures: number;
  /** Attempts before this time are rejected. */
  locked_until_ms: TimeMs;
  /** The row expires at this time. */
  forgotten_at_ms: TimeMs;
}

/** One row: the secret that signs cookies and encrypts authenticator apps' secrets, unless one is configured. */
interface PeopleSecretTable {
  singleton: Fixed<1>;
  secret: Fixed<string>;
}

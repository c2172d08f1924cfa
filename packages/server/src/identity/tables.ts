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

/** The people who sign in to the portal. */
interface PersonsTable {
  user_id: Fixed<string>;
  name: string;
  /** In lower case. */
  email: string;
  /** Whether it came by mail that somebody may be this person, or the identity provider has vouched for it. */
  is_email_verified: 0 | 1;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
}

/** How a person proves who it is: by a password, or by somebody who vouches for it. */
interface PersonCredentialsTable {
  credential_id: Fixed<string>;
  user_id: Fixed<string>;
  /** `credential` for a password, `oidc` for the identity provider. */
  provider_id: Fixed<string>;
  /** The person's own id for a password; the subject that the identity provider names. */
  provider_account_id: Fixed<string>;
  /** Argon2id with its parameters and salt; null where there is no password. */
  password_hash: string | null;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
}

/** A row for each browser in which a person has signed in, with every factor that it needs. */
interface PersonSessionsTable {
  session_id: Fixed<string>;
  user_id: Fixed<string>;
  /** SHA-256 of the token in the cookie. */
  token_hash: Fixed<string>;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  /** When the person did something there last, by what the page says. */
  last_seen_at_ms: TimeMs;
  /** The session ends then, whatever is done in it. */
  expires_at_ms: TimeMs;
  source_address: Fixed<string | null>;
  user_agent: Fixed<string | null>;
  /** When the password was given last, or the identity provider has asked who it is; null for never. */
  password_proved_at_ms: TimeMs | null;
  /** When a second factor or a passkey was given last; null for never. */
  factor_proved_at_ms: TimeMs | null;
}

/** The authenticator app of a person. */
interface PersonSecondFactorsTable {
  user_id: Fixed<string>;
  /** Encrypted with the secret of the service. */
  secret: string;
  created_at_ms: TimeMs;
  /** The time step of the newest code that was used: neither it nor an older one is taken again (RFC 6238 section 5.2). */
  last_used_step: number;
}

/** Recovery codes that are left; a used one is deleted. */
interface PersonRecoveryCodesTable {
  user_id: Fixed<string>;
  /** SHA-256. */
  code_hash: Fixed<string>;
}

interface PersonPasskeysTable {
  passkey_id: Fixed<string>;
  user_id: Fixed<string>;
  name: string;
  /** As the authenticator names it; base64url. */
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

/** What was begun and must be ended by the same browser, and links that work once. */
interface PersonVerificationsTable {
  verification_id: Fixed<string>;
  /** What it is for, and a hash of its token. */
  identifier: string;
  value: string;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  expires_at_ms: TimeMs;
}

/** Links that make the first person; there are none once there is a person. */
interface SetUpLinksTable {
  token_hash: Fixed<string>;
  created_at_ms: Fixed<TimeMs>;
}

/** How often somebody has guessed wrong lately, by address and by person. */
interface SignInFailuresTable {
  /** `address` or `person`, and a hash. */
  subject: Fixed<string>;
  failures: number;
  /** Nothing is looked at before that time. */
  locked_until_ms: TimeMs;
  /** From then on the row counts for nothing. */
  forgotten_at_ms: TimeMs;
}

/** One row: what cookies are signed and secrets of authenticator apps encrypted with, unless a setting says otherwise. */
interface PeopleSecretTable {
  singleton: Fixed<1>;
  secret: Fixed<string>;
}

import { z } from 'zod';

/** What an account demands of its people and keys, as the management API shows it. */
export interface SecurityPolicy {
  /** Whether people need a second factor or a passkey to do anything in the account. */
  readonly isSecondFactorRequired: boolean;
  /** So many hours after signing in, people have to sign in again; null for no limit of its own. */
  readonly sessionHoursMax: number | null;
  /** After so many days a key of the account stops verifying; null when age alone ends no key. */
  readonly keyAgeDaysMax: number | null;
}

/** The body of `PATCH /v1/security-policy` (RFC 7396): what is left out stays as it is. */
export interface SecurityPolicyChange {
  readonly isSecondFactorRequired?: boolean | undefined;
  readonly sessionHoursMax?: number | null | undefined;
  readonly keyAgeDaysMax?: number | null | undefined;
}

const object = {
  error: (issue: { code?: string | undefined }): string | undefined =>
    issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined,
};
const days = limited(3650, 'Write whole days from 1 to 3650, or null for no limit.');
const hours = limited(720, 'Write whole hours from 1 to 720, or null for no limit.');

/** Checks the body of `PATCH /v1/security-policy`. */
export const securityPolicyChangeSchema: z.ZodType<SecurityPolicyChange> = z.strictObject(
  {
    isSecondFactorRequired: z.optional(z.boolean({ error: 'Write true or false.' })),
    sessionHoursMax: z.optional(hours),
    keyAgeDaysMax: z.optional(days),
  },
  object,
);

/** Describes the policy in answers. */
export const securityPolicySchema: z.ZodType<SecurityPolicy> = z.strictObject({
  isSecondFactorRequired: z.boolean(),
  sessionHoursMax: z.nullable(z.int()),
  keyAgeDaysMax: z.nullable(z.int()),
});

function limited(max: number, error: string): z.ZodType<number | null> {
  return z.nullable(z.int({ error }).min(1, { error }).max(max, { error }));
}

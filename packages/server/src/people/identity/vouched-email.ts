import { emailSchema } from './body-schemas.ts';

/** A provider's claims about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * An email address in claims and how far they vouch for it, or the reason why they vouch for none, with the
 * claim's name.
 */
export type EmailReading =
  | { readonly standing: 'verified'; readonly email: string }
  /** The claims do not say whether the address is verified, and the operator trusts the provider's addresses. */
  | { readonly standing: 'trusted'; readonly email: string; readonly problem: string }
  /** `denied` applies to the person, whatever other claims say. */
  | { readonly standing: 'missing' | 'unusable' | 'denied'; readonly problem: string };

/**
 * Reads the email address in claims. Problems do not repeat values.
 *
 * An unverified address may belong to another person. So may one with unusual characters once it is in
 * canonical form: the Kelvin sign becomes a k.
 *
 * @param trustsAddresses true if an address is vouched for unless the provider says that it is not verified
 */
export function readEmail(claims: Claims, trustsAddresses: boolean): EmailReading {
  const { email: given, email_verified: verified } = claims;
  // Checked before the address, because the two claims may come separately, one in the ID token and the other
  // from userinfo.
  if (!notDenied.has(verified)) return { standing: 'denied', problem: problemOfVerified(verified) };
  if (given === undefined) return { standing: 'missing', problem: 'email is missing' };
  const { data: email } = emailSchema.safeParse(given);
  if (email === undefined)
    return { standing: 'unusable', problem: 'email is not an address that the service accepts' };
  const isVerified = verified === true || (verified === 'true' && trustsAddresses);
  if (isVerified) return { standing: 'verified', email };
  const problem = problemOfVerified(verified);
  if (verified !== undefined) return { standing: 'unusable', problem };
  return trustsAddresses ? { standing: 'trusted', email, problem } : { standing: 'missing', problem };
}

/** Chooses a verified address before one that is only trusted. Chooses none if any of the claims deny one. */
export function preferredEmail(readings: readonly EmailReading[]): string | undefined {
  if (readings.some(({ standing }) => standing === 'denied')) return undefined;
  const verified = readings.find(({ standing }) => standing === 'verified');
  const vouched = verified ?? readings.find(({ standing }) => standing === 'trusted');
  return vouched && 'email' in vouched ? vouched.email : undefined;
}

/**
 * Values of `email_verified` that do not deny that an address is verified. OpenID Connect Core 1.0 section 5.1
 * defines a boolean; providers that send text mean the same.
 */
const notDenied: ReadonlySet<unknown> = new Set([undefined, true, 'true']);

function problemOfVerified(verified: unknown): string {
  if (verified === undefined) return 'email_verified is missing';
  return verified === false ? 'email_verified is false' : `email_verified is ${kindOf(verified)}, not true`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

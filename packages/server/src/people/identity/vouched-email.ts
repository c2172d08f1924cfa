import { emailSchema } from './body-schemas.ts';

/** What a provider says about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** An email address in claims, and how far they vouch for it; or why they vouch for none, by the name of the claim. */
export type EmailReading =
  | { readonly standing: 'verified'; readonly email: string }
  /** The claims do not say whether the address is verified, and the operator trusts the provider's addresses. */
  | { readonly standing: 'trusted'; readonly email: string; readonly problem: string }
  /** `denied` is about the person, whatever other claims say. */
  | { readonly standing: 'missing' | 'unusable' | 'denied'; readonly problem: string };

/**
 * Reads the email address in claims. Problems do not repeat values.
 *
 * An address that is not verified may be somebody else's. So may one with unusual characters once it is in canonical form:
 * the Kelvin sign becomes a k.
 *
 * @param trustsAddresses whether an address is vouched for unless the provider says that it is not verified
 */
export function readEmail(claims: Claims, trustsAddresses: boolean): EmailReading {
  const { email: given, email_verified: verified } = claims;
  // Before anything about the address, which may be in the ID token while this is at userinfo, or the other way around.
  if (!notDenied.has(verified)) return { standing: 'denied', problem: problemOfVerified(verified) };
  if (given === undefined) return { standing: 'missing', problem: 'email is missing' };
  const { data: email } = emailSchema.safeParse(given);
  if (email === undefined)
    return { standing: 'unusable', problem: 'email is not an address that people can have here' };
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
 * Values of `email_verified` that leave it open whether an address is verified, or say that it is. OpenID Connect Core 1.0
 * section 5.1 has a boolean; providers that send text say the same by it.
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

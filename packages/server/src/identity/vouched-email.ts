import { emailSchema } from './body-schemas.ts';

/** What a provider says about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the email address that claims vouch for; undefined if they vouch for none.
 *
 * An address that is not verified may be somebody else's. So may one with unusual characters once it is in canonical form:
 * the Kelvin sign becomes a k.
 *
 * @param trustsAddresses whether an address is vouched for unless the provider says that it is not verified
 */
export function verifiedEmail(claims: Claims, trustsAddresses: boolean): string | undefined {
  const { data: email } = emailSchema.safeParse(claims['email']);
  return email !== undefined && isVerified(claims, trustsAddresses) ? email : undefined;
}

/** Why claims vouch for no email address, by the name of the claim. The values are not repeated. */
export function problemOfEmail(
  claims: Claims,
  trustsAddresses: boolean,
): { readonly text: string; readonly isOnlyMissing: boolean } {
  const { email, email_verified: verified } = claims;
  if (email === undefined) return { text: 'email is missing', isOnlyMissing: true };
  if (!emailSchema.safeParse(email).success)
    return { text: 'email is not an address that people can have here', isOnlyMissing: false };
  if (verified === undefined && !trustsAddresses)
    return { text: 'email_verified is missing', isOnlyMissing: true };
  if (verified === false) return { text: 'email_verified is false', isOnlyMissing: false };
  return { text: `email_verified is ${kindOf(verified)}, not true`, isOnlyMissing: false };
}

/** OpenID Connect Core 1.0 section 5.1 has a boolean. Providers that send text say the same by it. */
function isVerified({ email_verified: verified }: Claims, trustsAddresses: boolean): boolean {
  if (verified === true) return true;
  return trustsAddresses && (verified === undefined || verified === 'true');
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

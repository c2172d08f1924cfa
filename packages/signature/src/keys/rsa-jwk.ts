/** Returns the `alg` of a JWK with an RSA key; undefined for another text, and for one without. */
export function algOfRsaJwk(text: string): string | undefined {
  const json = text.replace(/^[\s\uFEFF]+/, '');
  if (!json.startsWith('{')) return undefined;
  try {
    const { kty, alg } = JSON.parse(json) as { readonly kty?: unknown; readonly alg?: unknown };
    // Azure's HSMs write RSA-HSM.
    return (kty === 'RSA' || kty === 'RSA-HSM') && typeof alg === 'string' ? alg : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the text of such a JWK with the algorithm that clients' RSA keys have in the closed profiles, as the reader of these
 * expects it. The rest stays, because a member may be in it twice.
 */
export function withAlgOfClients(text: string): string {
  return text.replace(/("alg"\s*:\s*)"[^"]*"/, '$1"RS256"');
}

import { beginsSshLine } from './ssh-line.ts';

/**
 * Finds the public key in JSON that a tool has printed around it, as a JWK, PEM, an SSH line or the Base64 of
 * DER. Returns the path of its member; '' if the path contains a name that no known tool uses, because
 * unknown text is not repeated; undefined if there is no key.
 */
export function memberWithKey(json: unknown): string | undefined {
  const path = pathOfKey(json, depthMax);
  return path?.every((name) => toolMembers.test(name)) === false ? '' : path?.join('.');
}

/** Vault nests deepest: `data.keys.1.public_key`. */
const depthMax = 4;
const membersMax = 64;

/** The members in which Azure, AWS, Google Cloud, Vault and others print keys and certificates. */
const toolMembers =
  /^(?:key|keys|jwk|pem|cer|data|[Cc]ertificate|[Pp]ublicKey|public_key|publicKeyPem|public_key_pem|\d{1,4})$/;

function pathOfKey(value: unknown, depth: number): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value).slice(0, membersMax)) {
    if (isKey(member)) return [name];
    const below = depth > 1 ? pathOfKey(member, depth - 1) : undefined;
    if (below !== undefined) return [name, ...below];
  }
  return undefined;
}

function isKey(value: unknown): boolean {
  if (typeof value === 'string')
    return /^\s{0,8}(?:-----BEGIN |MII[A-P])/.test(value) || beginsSshLine(value);
  return typeof (value as { kty?: unknown } | null)?.kty === 'string';
}

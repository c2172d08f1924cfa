import type { ForwardedIdentity } from './forwarded-headers.ts';

/** The key that currently signs forwarded requests. */
export interface ForwardingKey {
  /** Its JWK thumbprint (RFC 7638), under which it is published. */
  readonly keyid: string;
  /** Signs with Ed25519. */
  readonly sign: (signatureBase: Uint8Array) => Buffer;
}

/** Signs forwarded requests for upstreams that require it. */
export interface ForwardingSigner {
  /** The wall clock, in milliseconds. */
  readonly nowMs: () => number;
  /** Returns the current signing key; undefined if none is published, because nobody could verify its signatures. */
  readonly key: () => ForwardingKey | undefined;
}

/** Everything that the signature of a forwarded request covers. */
export interface SignedForward {
  readonly method: string;
  /** The URL that the client called. */
  readonly targetUri: string;
  readonly identity: ForwardedIdentity;
  readonly requestId: string;
}

/** Two header lines: the member `countersign` of `Signature-Input` and of `Signature`. */
export interface ForwardedSignature {
  readonly input: string;
  readonly signature: string;
}

/**
 * Signs a forwarded request as an intermediary does (RFC 9421 section 4.3): with a member of its own, in
 * addition to the client's. Labels are not signed (section 7.2.5), so the parameter `tag` states the purpose
 * of the signature.
 */
export function signForwarded(
  { method, targetUri, identity, requestId }: SignedForward,
  { keyid, sign }: ForwardingKey,
  nowMs: number,
): ForwardedSignature {
  const created = Math.floor(nowMs / 1000);
  const { contentDigest } = identity;
  const hasBody = contentDigest !== undefined;
  const parameters =
    `${hasBody ? coveredWithBody : covered};created=${created};expires=${created + forwardedSignatureSeconds}` +
    `;keyid="${keyid}";alg="ed25519";tag="countersign-forwarded"`;
  const base =
    `"@method": ${method}\n"@target-uri": ${targetUri}\n` +
    (hasBody ? `"content-digest": ${contentDigest}\n` : '') +
    `"countersign-client-id": ${identity.clientId}\n"countersign-account": ${identity.accountId}\n` +
    `"countersign-roles": ${identity.roles.join(', ')}\n"countersign-key": ${identity.keyId}\n` +
    `"countersign-request-id": ${requestId}\n"@signature-params": ${parameters}`;
  const signature = sign(Buffer.from(base, 'latin1')).toString('base64');
  return { input: `countersign=${parameters}`, signature: `countersign=:${signature}:` };
}

/** How long an upstream accepts the signature of a forwarded request. */
export const forwardedSignatureSeconds = 60;

const identityComponents =
  '"countersign-client-id" "countersign-account" "countersign-roles" "countersign-key" "countersign-request-id"';
const covered = `("@method" "@target-uri" ${identityComponents})`;
const coveredWithBody = `("@method" "@target-uri" "content-digest" ${identityComponents})`;

import { type AlgorithmName, SigningError } from '@countersign/signature';
import { isKeyid } from '@countersign/signature/profile';
import type { ProfileSettings } from './profile-settings.ts';

/** The algorithms that agents sign with here. */
export const agentAlgorithms: readonly AlgorithmName[] = ['ed25519', 'ecdsa-p256-sha256'];

/**
 * Returns how an agent signs, by Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01). Covers more than the draft requires: the
 * method, the whole URL and the body. Each signature has a nonce, so all are different.
 *
 * @param signatureAgent the URL of the JWK Set with the public key
 * @param keyid the thumbprint of the public key, for keys whose public half the signer cannot derive
 * @throws SigningError for a URL or a keyid that cannot be used
 */
export function agentSettings(signatureAgent: string, keyid: string | undefined): ProfileSettings {
  checkAgentUrl(signatureAgent);
  if (keyid !== undefined && !isKeyid(keyid))
    throw new SigningError('keyid_invalid', "An agent's clientId is the thumbprint of its public key.");
  const field = `sig="${signatureAgent}"`;
  return {
    profile: 'web-bot-auth-01',
    keyid,
    isThumbprint: true,
    algorithm: undefined,
    algorithms: agentAlgorithms,
    keyAdvice:
      'Web Bot Auth is signed with Ed25519 or ECDSA P-256 here. Create such a key with npx countersign keygen --algorithm ed25519; a function that signs needs a property algorithm.',
    tag: undefined,
    ownHeaders: [['Signature-Agent', field]],
    alsoCover: ['@authority', '@method', '@target-uri', 'content-digest', '"signature-agent";key="sig"'],
  };
}

/** Scheme, host and port (RFC 3986 section 3.2), and visible ASCII that needs no escape in a string (RFC 8941 section 3.3.3). */
const agentUrl =
  /^(?:https:\/\/(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(?:[/?][!$-[\]-~]*)?$/;

/** @throws SigningError `request_invalid` */
function checkAgentUrl(text: string): void {
  const parts = typeof text === 'string' && text.length <= 2048 ? agentUrl.exec(text) : null;
  if (parts && Number(parts[1] ?? 1) <= 65_535 && URL.canParse(text)) return;
  throw new SigningError(
    'request_invalid',
    'The signature agent must be the https URL of a JWK Set: visible ASCII without user, fragment, quotes and backslashes; http only for localhost.',
  );
}

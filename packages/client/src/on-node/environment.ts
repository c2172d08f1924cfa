import { SigningError } from '@countersign/signature';
import type { SignerIdentity } from '../signing/options.ts';
import type { NodeSignerOptions } from './node-options.ts';

/**
 * Reads a signer's options from the environment: `COUNTERSIGN_CLIENT_ID`, `COUNTERSIGN_PRIVATE_KEY_FILE` or
 * `COUNTERSIGN_PRIVATE_KEY`, and `COUNTERSIGN_PASSPHRASE`; for an agent, `COUNTERSIGN_SIGNATURE_AGENT` in place of the Client ID.
 *
 * @throws SigningError that names the missing variable and repeats no value
 * @example
 * const fetch = signingFetch(optionsFromEnvironment());
 */
export function optionsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): NodeSignerOptions {
  const value = (name: string): string | undefined => environment[`COUNTERSIGN_${name}`] || undefined;
  const clientId = value('CLIENT_ID');
  const signatureAgent = value('SIGNATURE_AGENT');
  if (clientId === undefined && signatureAgent === undefined)
    throw new SigningError(
      'keyid_invalid',
      'Set COUNTERSIGN_CLIENT_ID to the Client ID from the portal, or for an agent COUNTERSIGN_SIGNATURE_AGENT to the URL of its JWK Set.',
    );
  const privateKeyFile = value('PRIVATE_KEY_FILE');
  const privateKey = value('PRIVATE_KEY');
  const passphrase = value('PASSPHRASE');
  if ((privateKeyFile === undefined) === (privateKey === undefined)) {
    throw new SigningError(
      'private_key_invalid',
      'Set either COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key, or COUNTERSIGN_PRIVATE_KEY to the key itself.',
    );
  }
  const identity: SignerIdentity =
    signatureAgent === undefined ? { clientId: clientId! } : { signatureAgent, clientId };
  const shared = { ...identity, ...(passphrase !== undefined && { passphrase }) };
  return privateKeyFile === undefined
    ? { ...shared, privateKey: privateKey! }
    : { ...shared, privateKeyFile };
}

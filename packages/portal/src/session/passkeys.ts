import { ApiError } from '@countersign/contract';
import type { PasskeyAnswer } from '../api/auth.ts';
import { stepUp as t } from '#messages/step-up.ts';

/** Returns true if the browser supports passkeys and their JSON form (WebAuthn Level 3). */
export function canUsePasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/** Signs in with a passkey of the device. Rejects with `ApiError`. */
export async function getPasskeyProof(
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<PasskeyAnswer> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return readCredential(() => navigator.credentials.get({ publicKey }));
}

/** Creates a passkey on the device. Rejects with `ApiError`. */
export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<PasskeyAnswer> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return readCredential(() => navigator.credentials.create({ publicKey }));
}

async function readCredential(ask: () => Promise<Credential | null>): Promise<PasskeyAnswer> {
  let credential: Credential | null;
  try {
    credential = await ask();
  } catch (error) {
    throw passkeyError(error instanceof DOMException ? error.name : '');
  }
  if (!(credential instanceof PublicKeyCredential)) throw passkeyError('');
  return credential.toJSON();
}

function passkeyError(name: string): ApiError {
  const isDeclined = name === 'NotAllowedError' || name === 'AbortError';
  const words = isDeclined
    ? t.passkeyDeclined
    : name === 'InvalidStateError'
      ? t.passkeyKnown
      : t.passkeyFailed;
  return new ApiError({ code: 'passkey_failed', status: 0, ...words });
}

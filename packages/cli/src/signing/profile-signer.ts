import type { KeySource } from '@countersign/client/node';
import { SigningError } from '@countersign/signature';
import { CommandError } from '../exits.ts';
import type { CommandSigner, SignerSettings } from './key-source.ts';
import type { ProfileChoice } from './message-profile.ts';

/** Which profile, and where processes with the same key record the seconds that they have used. */
export interface ProfileSettings {
  readonly choice: ProfileChoice;
  readonly sharedFolder: string | undefined;
}

/** A private key as the client takes it. */
export interface ClientKey {
  readonly privateKey: string | KeySource;
  readonly passphrase?: string | undefined;
}

export interface ProfileSigner extends CommandSigner {
  /** The headers that it sets, in lower case. */
  readonly signatureHeaders: readonly string[];
}

/**
 * Opens a signer by another profile than the service's own, with the client, which other commands never load. Rejects with
 * SigningError.
 */
export async function openProfileSigner(
  key: ClientKey,
  { clientId, nowMs }: Pick<SignerSettings, 'clientId' | 'nowMs'>,
  { choice, sharedFolder }: ProfileSettings,
): Promise<ProfileSigner> {
  const { createRequestSigner } = await import('@countersign/client/node');
  const shared = { ...key, sharedFolder, now: nowMs };
  const signer =
    choice.kind === 'agent'
      ? createRequestSigner({ ...shared, signatureAgent: choice.signatureAgent })
      : createRequestSigner({ ...shared, ...choice.options, clientId });
  await ofKeyStore(() => signer.ready());
  return {
    keyid: clientId,
    signatureHeaders: signer.signatureHeaders,
    // Callers wait for a free second themselves.
    sign: (request) => ofKeyStore(() => signer.sign(request, { waitMsMax: 0 })),
  };
}

/** Throws the error of a key store itself, which the client has as a cause. */
async function ofKeyStore<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SigningError && error.cause instanceof CommandError ? error.cause : error;
  }
}

import { createPublicKey } from 'node:crypto';
import { createAsyncBaseSigner, createAsyncSigner, readSigningKey } from '@countersign/signature/node';
import { type BaseSigner, SigningError } from '@countersign/signature';
import { agentAlgorithms } from '../signing/agent-signer.ts';
import { isKeySource, type KeySource } from '../signing/key-source.ts';
import { buildRequestSigner, type RequestSigner } from '../signing/request-signer.ts';
import { publicKeyOf, signWithFunction, signWithSource } from '../signing/sign-with.ts';
import { followKeyFile } from './key-file.ts';
import { profileKeyOf } from './profile-key.ts';
import type { NodeSignerOptions } from './node-options.ts';
import { secondsFolder } from './seconds-folder.ts';
import { sharedUsedSeconds } from './thread-seconds.ts';

/** Creates a signer whose private-key operations run in Node's thread pool. */
export function createNodeRequestSigner(options: NodeSignerOptions): RequestSigner {
  const { clientId, passphrase, sharedFolder, profile } = options;
  checkOneKey(options);
  // A profile's key is opened once it is known what the profile signs with.
  const key = profile === undefined ? openKey(options) : undefined;
  return buildRequestSigner(options, {
    ready: async () => key?.ready(),
    profileKey: key === undefined ? profileKeyOf(options) : async () => key,
    usedSeconds: sharedUsedSeconds(sharedFolder !== undefined),
    createSigner: (settings) =>
      createAsyncSigner({
        ...settings,
        privateKey: key!.sign,
        ...(passphrase !== undefined && { passphrase }),
      }),
    takeSecond:
      sharedFolder === undefined || clientId === undefined
        ? undefined
        : secondsFolder(sharedFolder, clientId),
  });
}

interface OpenKey {
  readonly sign: BaseSigner<Promise<Uint8Array>>;
  readonly publicKey: (() => Promise<string>) | undefined;
  readonly ready: () => Promise<void>;
}

function checkOneKey({ privateKey, privateKeyFile }: NodeSignerOptions): void {
  if ((privateKey === undefined) !== (privateKeyFile === undefined)) return;
  throw new SigningError(
    'private_key_invalid',
    'Set exactly one of privateKey and privateKeyFile. An environment variable that is not set is undefined.',
  );
}

function openKey({ privateKey, privateKeyFile, passphrase, signatureAgent }: NodeSignerOptions): OpenKey {
  if (privateKeyFile !== undefined) {
    const algorithms = signatureAgent === undefined ? undefined : agentAlgorithms;
    return ofSource(followKeyFile(privateKeyFile, { passphrase, algorithms }));
  }
  const ready = (): Promise<void> => Promise.resolve();
  if (typeof privateKey === 'function')
    return { sign: signWithFunction(privateKey), publicKey: undefined, ready };
  if (isKeySource(privateKey)) return ofSource(privateKey);
  const keyObject = readSigningKey(privateKey as NodeKey, passphrase);
  const publicKey = async (): Promise<string> =>
    createPublicKey(keyObject).export({ type: 'spki', format: 'pem' });
  return { sign: createAsyncBaseSigner(keyObject), publicKey, ready };
}

function ofSource(source: KeySource): OpenKey {
  const publicKey = (): Promise<string> => publicKeyOf(source);
  return { sign: signWithSource(source), publicKey, ready: async () => void (await publicKey()) };
}

type NodeKey = Exclude<Parameters<typeof createAsyncBaseSigner>[0], (...bytes: never) => unknown>;

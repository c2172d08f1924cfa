import { createAsyncBaseSigner, createAsyncSigner } from '@countersign/signature/node';
import { type BaseSigner, SigningError } from '@countersign/signature';
import { isKeySource } from '../signing/key-source.ts';
import { buildRequestSigner, type RequestSigner } from '../signing/request-signer.ts';
import { signWithFunction, signWithSource } from '../signing/sign-with.ts';
import { followKeyFile } from './key-file.ts';
import type { NodeSignerOptions } from './node-options.ts';
import { secondsFolder } from './seconds-folder.ts';
import { sharedUsedSeconds } from './thread-seconds.ts';

/** Creates a signer whose private-key operations run in Node's thread pool. */
export function createNodeRequestSigner(options: NodeSignerOptions): RequestSigner {
  const { clientId, passphrase, sharedFolder } = options;
  const { sign, ready } = openKey(options);
  return buildRequestSigner(options, {
    ready,
    usedSeconds: sharedUsedSeconds(sharedFolder !== undefined),
    createSigner: (settings) =>
      createAsyncSigner({ ...settings, privateKey: sign, ...(passphrase !== undefined && { passphrase }) }),
    takeSecond: sharedFolder === undefined ? undefined : secondsFolder(sharedFolder, clientId),
  });
}

interface OpenKey {
  readonly sign: BaseSigner<Promise<Uint8Array>>;
  readonly ready: () => Promise<void>;
}

function openKey({ privateKey, privateKeyFile, passphrase }: NodeSignerOptions): OpenKey {
  if ((privateKey === undefined) === (privateKeyFile === undefined)) {
    throw new SigningError(
      'private_key_invalid',
      'Set exactly one of privateKey and privateKeyFile. An environment variable that is not set is undefined.',
    );
  }
  if (privateKeyFile !== undefined) {
    const source = followKeyFile(privateKeyFile, { passphrase });
    return { sign: signWithSource(source), ready: async () => void (await source.publicKey()) };
  }
  const ready = (): Promise<void> => Promise.resolve();
  if (typeof privateKey === 'function') return { sign: signWithFunction(privateKey), ready };
  if (isKeySource(privateKey))
    return { sign: signWithSource(privateKey), ready: async () => void (await privateKey.publicKey()) };
  return { sign: createAsyncBaseSigner(privateKey as NodeKey, passphrase), ready };
}

type NodeKey = Exclude<Parameters<typeof createAsyncBaseSigner>[0], (...bytes: never) => unknown>;

import {
  type AlgorithmName,
  type BaseSigner,
  createBaseSigner,
  createSigner,
  MemoryUsedSeconds,
  signatureAlgorithm,
} from '@countersign/signature';
import { isKeySource } from './key-source.ts';
import type { PrivateKey, SignerOptions } from './options.ts';
import { buildRequestSigner, type RequestSigner } from './request-signer.ts';
import { signWithFunction, signWithSource } from './sign-with.ts';

/** Shared by all signers of a thread. A worker or another tab has its own: see "Equal requests" in the README. */
const usedSeconds = new MemoryUsedSeconds();

/** Creates a signer on Web Crypto, which signs outside the thread in every runtime. */
export function createWebRequestSigner(options: SignerOptions): RequestSigner {
  let opened: Promise<Sign> | undefined;
  const open = (): Promise<Sign> => (opened ??= openKey(options.privateKey, options.passphrase));
  return buildRequestSigner(options, {
    usedSeconds,
    ready: async () => void (await open()),
    createSigner(settings) {
      const created = createSigner({ ...settings, privateKey: opening(open) });
      // Reported by the first request.
      created.catch(() => undefined);
      return { sign: async (request, time) => (await created).sign(request, time) };
    },
  });
}

type Sign = BaseSigner<Promise<Uint8Array>>;

/** Returns a function that signs once the key is open. */
function opening(open: () => Promise<Sign>): Sign {
  const sign = async (bytes: Uint8Array): Promise<Uint8Array> => (await open())(bytes);
  const algorithm = async (): Promise<AlgorithmName> =>
    (await (await open()).algorithm?.()) ?? signatureAlgorithm;
  return Object.assign(sign, { algorithm });
}

async function openKey(privateKey: PrivateKey, passphrase: string | undefined): Promise<Sign> {
  if (typeof privateKey === 'function') return signWithFunction(privateKey);
  if (isKeySource(privateKey)) return signWithSource(privateKey);
  return createBaseSigner(privateKey, passphrase);
}

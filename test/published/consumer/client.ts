// Compiled against the declarations; never run.
import { signingAdapter } from '@countersign/client/axios';
import { signingGot, type SigningGotOptions } from '@countersign/client/got';
import { signingRequest, type SignedResponse } from '@countersign/client/http';
import { signingKy, type SigningKyOptions } from '@countersign/client/ky';
import {
  createRequestSigner,
  followKeyFile,
  type KeySource,
  optionsFromEnvironment,
  type RefusalCode,
  RefusedError,
  type RequestSigner,
  signingFetch,
  SigningError,
} from '@countersign/client/node';
import { createTestVerifier, type TestVerdict } from '@countersign/client/testing';
import { signingInterceptor } from '@countersign/client/undici';
import { generateKeyPairSync } from 'node:crypto';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const vault: KeySource = {
  keyId: 'transit/keys/shop',
  sign: async (bytes) => bytes,
  publicKey: async () => '-----BEGIN PUBLIC KEY-----',
};
export const signers: RequestSigner[] = [
  createRequestSigner({ clientId: 'shop', privateKey }),
  createRequestSigner({ clientId: 'shop', privateKey: vault, sharedFolder: '/var/lib/shop' }),
  createRequestSigner({ clientId: 'shop', privateKey: followKeyFile('private.pem') }),
  createRequestSigner({ clientId: 'shop', privateKeyFile: 'private.pem', passphrase: undefined }),
  createRequestSigner(optionsFromEnvironment()),
];

// @ts-expect-error one of the two, not both
createRequestSigner({ clientId: 'shop', privateKey, privateKeyFile: 'private.pem' });
// @ts-expect-error a signer needs a key
createRequestSigner({ clientId: 'shop' });

export async function send(body: string): Promise<RefusalCode | undefined> {
  const fetch = signingFetch({ clientId: 'shop', privateKeyFile: 'private.pem' });
  try {
    const response = await fetch('https://api.example.com/v1/payments', { method: 'POST', body });
    // @ts-expect-error a response has a number as its status
    const status: string = response.status;
    void status;
    return undefined;
  } catch (error) {
    if (error instanceof SigningError) throw new Error(error.code, { cause: error });
    if (!(error instanceof RefusedError)) throw error;
    void error.explanation?.findings.map(({ what, mend }) => `${what} ${mend}`);
    return error.code;
  }
}

export async function adapters(
  signer: RequestSigner,
): Promise<[SigningGotOptions, SigningKyOptions, SignedResponse]> {
  type Dispatch = (options: { path: string }, handler: { onResponseEnd?: () => void }) => boolean;
  const dispatch: Dispatch = signingInterceptor(signer, 'https://api.example.com')(() => true);
  void dispatch;
  const axios = { getUri: () => '', getAdapter: () => undefined };
  const adapter: (config: { url: string }) => Promise<{ status: number }> = signingAdapter(axios, signer);
  void adapter;
  return [signingGot(signer), signingKy(signer), await signingRequest(signer)('https://api.example.com/')];
}

export async function verified(publicKey: string): Promise<TestVerdict> {
  return createTestVerifier({ clientId: 'shop', publicKey })({
    method: 'GET',
    url: 'https://a.example/',
    headers: [],
  });
}

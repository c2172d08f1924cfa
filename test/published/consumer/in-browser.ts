// Compiled against the declarations, with the types of a browser and none of Node; never run.
import { signingFetch as createSigningFetch } from '@countersign/client';
import { openStoredKey } from '@countersign/client/indexed-db';
import { createSigner, type SignedRequest, SigningError } from '@countersign/signature';
import { readSignatureHeaders, type SignatureHeaders } from '@countersign/signature/profile';

export async function send(privateKey: CryptoKey, body: string): Promise<Response> {
  const signer = await createSigner({ keyid: 'shop', privateKey });
  // @ts-expect-error it signs asynchronously: the declarations are found, and say more than `any`
  const signed: SignedRequest = signer.sign({ method: 'POST', url: 'https://api.example.com/', body });
  void signed;
  try {
    const request = await signer.sign({ method: 'POST', url: new URL(location.href), body });
    return await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
    });
  } catch (error) {
    throw error instanceof SigningError ? new Error(error.code, { cause: error }) : error;
  }
}

/** @returns the length of the body, which only exists if it was given */
export async function lengthOf(privateKey: CryptoKey, body: string | undefined): Promise<number> {
  const signer = await createSigner({ keyid: 'shop', privateKey });
  const request = await signer.sign({ method: 'POST', url: location.href, body });
  // @ts-expect-error the body may be missing
  void request.body.length;
  return request.body?.length ?? 0;
}

export const read = (headers: Headers): SignatureHeaders => readSignatureHeaders(headers);

export async function sendFromPage(clientId: string): Promise<Response> {
  const privateKey = await openStoredKey('shop');
  // @ts-expect-error key files are for Node
  createSigningFetch({ clientId, privateKeyFile: 'private.pem' });
  return createSigningFetch({ clientId, privateKey, coverDate: false })('/v1/payments');
}

// @ts-expect-error members that the package does not export have no types either
export const inside: Promise<unknown> = import('@countersign/signature/src/index.ts');

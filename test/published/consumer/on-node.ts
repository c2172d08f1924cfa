// Compiled against the declarations, without the types of a browser; never run.
import type { KeyObject } from 'node:crypto';
import * as everywhere from '@countersign/signature';
import {
  createSigner,
  createVerificationKey,
  MemoryReplayGuard,
  type Refusal,
  readPublicKey,
  type PublicKey,
  type SignedRequest,
  SigningError,
  type Verification,
  type VerificationKey,
  verifyRequest,
} from '@countersign/signature/node';
import { readSignatureHeaders } from '@countersign/signature/profile';
import { signatureBase } from '@countersign/signature/rfc9421';

interface Shop {
  readonly name: string;
  readonly keys: readonly VerificationKey[];
}

export function sign(privateKey: string | KeyObject): SignedRequest {
  // @ts-expect-error a keyid is a text: the declarations are found, and say more than `any`
  createSigner({ keyid: 1, privateKey });
  // @ts-expect-error there is no such option
  createSigner({ keyid: 'shop', privateKey, algorithm: 'none' });
  return createSigner({ keyid: 'shop', privateKey }).sign({
    method: 'GET',
    url: new URL('https://api.example.com/'),
  });
}

export function verify(headers: readonly string[], publicKey: string): string {
  const shop: Shop = { name: 'The shop', keys: [createVerificationKey(publicKey)] };
  const result: Verification<Shop> = verifyRequest(
    { method: 'GET', targetUri: 'https://api.example.com/', headers, body: undefined },
    { clientByKeyid: (keyid) => (keyid === 'shop' ? shop : undefined), guard: new MemoryReplayGuard() },
  );
  if (result.ok) return result.client.name;
  const refusal: Refusal = result;
  // @ts-expect-error no rejection has this code
  if (refusal.code === 'no_such_code') return '';
  return refusal.reason;
}

export function keyOf(text: string): PublicKey {
  const reading = readPublicKey(text);
  // @ts-expect-error there is a key only if the reading is ok
  void reading.key;
  if (!reading.ok) throw new SigningError('private_key_invalid', reading.message);
  return reading.key;
}

export const later: Promise<everywhere.Signer> = everywhere.createSigner({
  keyid: 'shop',
  privateKey: 'PEM',
});
export const steps: readonly unknown[] = [readSignatureHeaders, signatureBase];

// @ts-expect-error members that the package does not export have no types either
export const inside: Promise<unknown> = import('@countersign/signature/dist/signing.js');

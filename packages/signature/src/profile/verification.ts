import type { PresentedSignature, SignatureRules } from './presented-signature.ts';
import { type NoncePolicy, profileTimeWindow, type TimeWindow } from './profile.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { HeaderLines } from './request-headers.ts';
import { signatureBase } from '../rfc9421/signature-base.ts';

/** A request as it was received. Nothing of it is changed or kept. */
export interface ReceivedRequest {
  /** As received; methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string;
  /** The full URL as called: configured origin and raw request target, as text, never rebuilt by a URL parser. */
  readonly targetUri: string;
  readonly headers: HeaderLines;
  /** The bytes as received, before any decoding. Empty or undefined when there was no body. */
  readonly body: Uint8Array | undefined;
}

/** What the verifier's registry knows of a client. `Key` is the platform's kind of public key. */
export interface VerifyingClient<Key> {
  /** The keys that may be used now; each is tried. */
  readonly keys: readonly Key[];
  /** For the earlier signers only: signatures that leave out `date` are accepted too. */
  readonly acceptWithoutDate?: boolean;
}

/** The settings that both verifiers share. */
export interface VerificationSettings {
  /** The verifier's clock in Unix seconds. Default: the system's. */
  readonly nowSeconds?: () => number;
  readonly window?: TimeWindow;
  readonly nonce?: NoncePolicy;
}

/** A request that passed every check of the profile that a library can make. */
export interface Verified<Client> {
  readonly ok: true;
  readonly keyid: string;
  readonly client: Client;
  /** Position in `client.keys` of the key that verified. */
  readonly keyIndex: number;
  /** Unix seconds. */
  readonly created: number;
  /** `created` minus the verifier's clock. */
  readonly clockDifferenceSeconds: number;
  readonly nonce: string | undefined;
}

/** The outcome of a verification: ok, or a code with its reason. */
export type Verification<Client> = Verified<Client> | Refusal;

/** Completes the settings of a verifier with the values of the profile. */
export function rulesFrom(settings: VerificationSettings): SignatureRules {
  return { window: settings.window ?? profileTimeWindow, nonce: settings.nonce ?? 'off' };
}

/** The system's clock in whole Unix seconds. */
export function systemSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** The signature base that the key must have signed, for a request with this presented signature. */
export function presentedSignatureBase(
  presented: PresentedSignature,
  method: string,
  targetUri: string,
): string {
  return signatureBase({
    method,
    targetUri,
    contentDigest: presented.contentDigest,
    date: presented.date,
    signatureParams: presented.signatureParams,
  });
}

/** Check 8's answer. The reason is for the owner; the caller learns the code only. */
export function signatureInvalid(clientIsKnown: boolean): Refusal {
  return refuse(
    'signature_invalid',
    clientIsKnown ? 'no usable key of this client verifies the signature' : 'no client has this keyid',
  );
}

/**
 * The part of check 6 that needs the client: a signature without `date` is only for clients whose record says so.
 * It follows check 8, so that a stranger cannot ask which clients those are.
 */
export function checkDateCovered(
  presented: PresentedSignature,
  acceptWithoutDate: boolean,
): Refusal | undefined {
  if (presented.components.coversDate || acceptWithoutDate) return undefined;
  return refuse(
    'components_invalid',
    '"date" is not covered, and this client is not registered to leave it out',
    {
      expected: presented.components.text.replace(')', ' "date")'),
      received: presented.components.text,
    },
  );
}

/**
 * Check 12: the body's bytes are those that were signed. `actual` is the Content-Digest field of the received bytes;
 * it need not be there when the body is empty or its digest is not covered.
 */
export function checkBodyDigest(
  presented: PresentedSignature,
  bodyBytes: number,
  actual: string | undefined,
): Refusal | undefined {
  const { contentDigest } = presented;
  if (contentDigest === undefined) {
    return bodyBytes === 0
      ? undefined
      : refuse('digest_missing', 'there is a body, but Content-Digest is not covered');
  }
  if (bodyBytes === 0)
    return refuse('components_invalid', '"content-digest" is covered, but the body is empty');
  if (actual === contentDigest) return undefined;
  return refuse(
    'digest_mismatch',
    `Content-Digest is not the digest of the ${bodyBytes} bytes that were received`,
    {
      received: contentDigest,
    },
  );
}

/** What identifies a signature for the replay guard: the start of SHA-256 over keyid, 0x00, decoded signature. */
export const replayIdBytes = 16;

/** Whether repeating a request with this method changes nothing, as the replay guard means it. */
export function isSafeMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

import { createSign } from 'node:crypto';
import {
  type DoubleAnswer,
  type DoubleRequest,
  type HttpDouble,
  openHttpDouble,
} from '@countersign/testing/http-double';
import { type KeyPair, makeKeyPair } from '@countersign/testing/key-pair';
import { publishedKeyPair } from '@countersign/testing/running-service';
import { signDigest } from '@countersign/testing/sign-digest';

/**
 * A double of Google Cloud KMS, not the service itself: its REST methods, members and errors as in the API reference. RSA and
 * CRC-32C are done for real.
 */
export interface GoogleDouble extends HttpDouble {
  readonly tokens: Set<string>;
  /** Versions of the key by resource name. */
  readonly versions: Map<string, DoubleVersion>;
  /** How many questions find a new version still being made. */
  generating: number;
}

interface DoubleVersion extends KeyPair {
  readonly algorithm: string;
  state: string;
}

export const googleToken = 'ya29.not-a-real-token';
const keyName = 'projects/shop/locations/europe-west3/keyRings/api/cryptoKeys/signing';
export const versionName: string = `${keyName}/cryptoKeyVersions/1`;
export const pssVersionName: string = `${keyName}-pss/cryptoKeyVersions/1`;

export async function openGoogleDouble(): Promise<GoogleDouble> {
  const v15 = {
    ...publishedKeyPair('rsa-2048-a'),
    algorithm: 'RSA_SIGN_PKCS1_2048_SHA256',
    state: 'ENABLED',
  };
  const pss = { ...publishedKeyPair('rsa-2048-b'), algorithm: 'RSA_SIGN_PSS_2048_SHA256', state: 'ENABLED' };
  const versions = new Map<string, DoubleVersion>([
    [versionName, v15],
    [pssVersionName, pss],
  ]);
  const room = { tokens: new Set([googleToken]), versions, generating: 0 };
  const double = await openHttpDouble((request) => answer(request, room));
  return Object.assign(room, double);
}

type Room = Pick<GoogleDouble, 'tokens' | 'versions' | 'generating'>;

function answer({ method, target, headers, body }: DoubleRequest, room: Room): DoubleAnswer {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (!room.tokens.has(token ?? '')) {
    return refusal(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials. Expected OAuth 2 access token.',
    );
  }
  if (method === 'POST' && target === `/v1/${keyName}/cryptoKeyVersions`) return createVersion(room);
  const [, name = '', verb] =
    /^\/v1\/(.+?\/cryptoKeyVersions\/\d+)(:asymmetricSign|\/publicKey|)$/.exec(target) ?? [];
  const version = room.versions.get(name);
  if (!version) return refusal(404, 'NOT_FOUND', `${name} not found.`);
  if (verb === '') {
    if (version.state === 'PENDING_GENERATION' && room.generating-- <= 0) version.state = 'ENABLED';
    return { status: 200, body: { name, state: version.state } };
  }
  if (version.state !== 'ENABLED') {
    return refusal(400, 'FAILED_PRECONDITION', `${name} is not enabled, current state is: ${version.state}.`);
  }
  return verb === '/publicKey' ? described(name, version) : signed(name, version, body);
}

function createVersion({ versions, generating }: Room): DoubleAnswer {
  const name = `${keyName}/cryptoKeyVersions/${versions.size}`;
  const state = generating > 0 ? 'PENDING_GENERATION' : 'ENABLED';
  versions.set(name, { ...makeKeyPair(), algorithm: 'RSA_SIGN_PKCS1_2048_SHA256', state });
  return {
    status: 200,
    body: { name, state, protectionLevel: 'HSM', algorithm: 'RSA_SIGN_PKCS1_2048_SHA256' },
  };
}

function described(name: string, { publicKey, algorithm }: DoubleVersion): DoubleAnswer {
  const pemCrc32c = String(slowCrc32c(Buffer.from(publicKey)));
  return { status: 200, body: { pem: publicKey, algorithm, pemCrc32c, name, protectionLevel: 'HSM' } };
}

function signed(
  name: string,
  { privateKey, algorithm }: DoubleVersion,
  body: DoubleRequest['body'],
): DoubleAnswer {
  const digest = Buffer.from(String((body['digest'] as Record<string, unknown>)['sha256']), 'base64');
  if (body['digestCrc32c'] !== String(slowCrc32c(digest)))
    return refusal(
      400,
      'INVALID_ARGUMENT',
      'The checksum in field digest_crc32c did not match the data in field digest.',
    );
  // A key for PSS signs with PSS, whatever the request.
  const signature = algorithm.includes('PSS')
    ? createSign('sha256').update(digest).sign({ key: privateKey, padding: 6 })
    : signDigest(privateKey, digest);
  return {
    status: 200,
    body: {
      signature: signature.toString('base64'),
      signatureCrc32c: String(slowCrc32c(signature)),
      verifiedDigestCrc32c: true,
      name,
      protectionLevel: 'HSM',
    },
  };
}

export function refusal(code: number, status: string, message: string): DoubleAnswer {
  return { status: code, body: { error: { code, message, status } } };
}

/** CRC-32C bit by bit, so that a mistake in a table is not made twice. */
export function slowCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

import { createPublicKey, randomBytes } from 'node:crypto';
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
 * A double of Azure Key Vault, not the service itself: paths, members and errors as in the REST reference of version 7.4. RSA
 * is done for real.
 */
export interface AzureDouble extends HttpDouble {
  readonly tokens: Set<string>;
  /** Versions by NAME/VERSION. */
  readonly versions: Map<string, DoubleVersion>;
}

interface DoubleVersion extends KeyPair {
  readonly kty: string;
  readonly operations: readonly string[];
  isEnabled: boolean;
}

export const azureToken = 'eyJ0.not-a-real.token';
export const keyId: string = 'signing/9885aa558e8d448789683188f8c194b0';

export async function openAzureDouble(): Promise<AzureDouble> {
  const rsa = { kty: 'RSA-HSM', operations: ['sign', 'verify'], isEnabled: true };
  const versions = new Map<string, DoubleVersion>([
    [keyId, { ...publishedKeyPair('rsa-3072-a'), ...rsa }],
    [`wrapping/${'a'.repeat(32)}`, { ...publishedKeyPair('rsa-2048-b'), ...rsa, operations: ['wrapKey'] }],
    [`curve/${'b'.repeat(32)}`, { ...publishedKeyPair('rsa-2048-b'), ...rsa, kty: 'EC' }],
  ]);
  const room = { tokens: new Set([azureToken]), versions, address: '' };
  const double = await openHttpDouble((request) => answer(request, room));
  return Object.assign(room, double);
}

type Room = Pick<AzureDouble, 'tokens' | 'versions' | 'address'>;

function answer({ method, target, headers, body }: DoubleRequest, room: Room): DoubleAnswer {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (!room.tokens.has(token ?? '')) {
    return refusal(401, 'Unauthorized', 'AKV10032: Invalid issuer or token expired.');
  }
  const { pathname, searchParams } = new URL(target, room.address);
  if (searchParams.get('api-version') !== '7.4')
    return refusal(400, 'BadParameter', 'api-version is missing or not supported');
  const [, keys, name = '', version = '', verb] = pathname.split('/');
  if (keys !== 'keys') return refusal(404, 'NotFound', '');
  if (method === 'POST' && version === 'rotate') return rotated(name, room);
  const id = `${name}/${version}`;
  const found = room.versions.get(id);
  if (!found) {
    return refusal(404, 'KeyNotFound', `A key with (name/id) ${id} was not found in this key vault.`);
  }
  if (method === 'GET' && verb === undefined) return described(id, found, room);
  if (!found.isEnabled) {
    return refusal(403, 'Forbidden', 'Operation sign is not allowed on a disabled key.', 'KeyDisabled');
  }
  if (verb !== 'sign' || body['alg'] !== 'RS256')
    return refusal(400, 'BadParameter', 'Property has invalid value');
  const digest = Buffer.from(String(body['value']), 'base64url');
  if (digest.length !== 32)
    return refusal(400, 'BadParameter', `Invalid length of 'value': ${digest.length} bytes.`);
  const value = signDigest(found.privateKey, digest).toString('base64url');
  return { status: 200, body: { kid: `${room.address}/keys/${id}`, value } };
}

function rotated(name: string, room: Room): DoubleAnswer {
  if (name !== 'signing')
    return refusal(404, 'KeyNotFound', `A key with (name/id) ${name} was not found in this key vault.`);
  const id = `${name}/${randomBytes(16).toString('hex')}`;
  const made = { ...makeKeyPair(), kty: 'RSA-HSM', operations: ['sign', 'verify'], isEnabled: true };
  room.versions.set(id, made);
  return described(id, made, room);
}

function described(
  id: string,
  { publicKey, kty, operations, isEnabled }: DoubleVersion,
  { address }: Room,
): DoubleAnswer {
  const { n, e } = createPublicKey(publicKey).export({ format: 'jwk' });
  const attributes = {
    enabled: isEnabled,
    created: 1_493_942_451,
    updated: 1_493_942_451,
    recoveryLevel: 'Recoverable+Purgeable',
  };
  return {
    status: 200,
    body: { key: { kid: `${address}/keys/${id}`, kty, key_ops: operations, n, e }, attributes },
  };
}

export function refusal(status: number, code: string, message: string, inner?: string): DoubleAnswer {
  const error = { code, message, ...(inner !== undefined && { innererror: { code: inner } }) };
  return { status, body: { error } };
}

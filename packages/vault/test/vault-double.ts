import { constants, sign } from 'node:crypto';
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
 * A double of Vault's transit engine, not Vault itself: routes, members, texts of errors and their statuses are those of
 * Vault 1.21, read from its documentation and its source. RSA and its defaults (PSS, message not hashed) are done for
 * real, so a wrong mode gives a signature that does not verify.
 */
export interface VaultDouble extends HttpDouble {
  /** Tokens that are accepted. */
  readonly tokens: Set<string>;
  /** The versions of the key `shop`, the first one first. */
  readonly versions: KeyPair[];
  /** True if a rotation reports the created version, as since Vault 1.14. */
  tellsRotation: boolean;
}

export const vaultToken = 'hvs.CAESIJ-not-a-real-token';

export async function openVaultDouble(): Promise<VaultDouble> {
  const tokens = new Set([vaultToken]);
  const versions = [publishedKeyPair('rsa-2048-a'), publishedKeyPair('rsa-3072-a')];
  const room = { tokens, versions, tellsRotation: true };
  const double = await openHttpDouble((request) => answer(request, room));
  return Object.assign(room, double);
}

type Room = Pick<VaultDouble, 'tokens' | 'versions' | 'tellsRotation'>;

function answer({ method, target, headers, body }: DoubleRequest, room: Room): DoubleAnswer {
  if (!room.tokens.has(String(headers['x-vault-token'])))
    return refusal(403, '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n');
  const [, engine, action, name, rotate] =
    /^\/v1\/([^/]+)\/(sign|keys)\/([^/?]+)(\/rotate)?$/.exec(target) ?? [];
  if (engine !== 'transit')
    return refusal(404, `no handler for route "${target.slice(4)}". route entry not found.`);
  if (action === 'sign' && method === 'POST')
    return name === 'shop' ? signed(body, room) : refusal(400, 'signing key not found');
  if (action !== 'keys') return refusal(405, 'unsupported operation');
  if (rotate && method === 'POST') {
    if (name !== 'shop') return refusal(400, 'key not found');
    room.versions.push(makeKeyPair());
    return room.tellsRotation ? described('rsa-2048', room.versions) : { status: 204 };
  }
  if (name === 'edge') return described('ed25519', []);
  return name === 'shop' ? described('rsa-2048', room.versions) : { status: 404, body: { errors: [] } };
}

function signed(body: DoubleRequest['body'], { versions }: Room): DoubleAnswer {
  const version = Number(body['key_version'] ?? 0) || versions.length;
  const key = versions[version - 1];
  // Vault reports the mistakes of versions as failures of its own.
  if (!key) return refusal(500, 'requested version for signing is higher than the latest key version');
  const input = Buffer.from(String(body['input']), 'base64');
  const isHashed = body['prehashed'] === true && body['hash_algorithm'] === 'sha2-256';
  const isV15 = body['signature_algorithm'] === 'pkcs1v15';
  const signature =
    isHashed && isV15
      ? signDigest(key.privateKey, input)
      : sign('sha256', input, {
          key: key.privateKey,
          padding: isV15 ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_PSS_PADDING,
        });
  return data({ key_version: version, signature: `vault:v${version}:${signature.toString('base64')}` });
}

function described(type: string, versions: readonly KeyPair[]): DoubleAnswer {
  const keys = versions.map(({ publicKey }, index) => [
    String(index + 1),
    { creation_time: '2026-11-01T08:00:00.000000000Z', name: 'rsa-2048', public_key: publicKey },
  ]);
  return data({
    deletion_allowed: false,
    derived: false,
    exportable: false,
    keys: Object.fromEntries(keys),
    latest_version: versions.length,
    min_decryption_version: 1,
    min_encryption_version: 0,
    name: 'shop',
    supports_signing: true,
    type,
  });
}

function data(content: Readonly<Record<string, unknown>>): DoubleAnswer {
  return {
    status: 200,
    body: {
      request_id: '6f4b1c67-1f6a-4e0b-9f5e-0d1c5c7c9a3e',
      lease_id: '',
      renewable: false,
      lease_duration: 0,
      data: content,
      wrap_info: null,
      warnings: null,
      auth: null,
    },
  };
}

function refusal(status: number, text: string): DoubleAnswer {
  return { status, body: { errors: [text] } };
}

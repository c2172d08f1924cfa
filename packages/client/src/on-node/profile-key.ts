import { KeyObject } from 'node:crypto';
import { createAsyncBaseSigner, readSigningKey } from '@countersign/signature/node';
import { isKeySource } from '../signing/key-source.ts';
import { openProfileKey, pssOf } from '../signing/open-profile-key.ts';
import type { ProfileKey, ProfileSign, WantedKey } from '../signing/profile-settings.ts';
import { publicKeyOf } from '../signing/sign-with.ts';
import { followKeyFileAs } from './key-file.ts';
import type { NodeSignerOptions } from './node-options.ts';

/** Returns how to open the key of options for a profile. It is opened once, and a file is followed. */
export function profileKeyOf(options: NodeSignerOptions): (wanted: WantedKey) => Promise<ProfileKey> {
  let opened: Promise<ProfileKey> | undefined;
  return (wanted) => (opened ??= open(options, wanted));
}

async function open(
  { privateKey, privateKeyFile, passphrase, algorithm }: NodeSignerOptions,
  wanted: WantedKey,
): Promise<ProfileKey> {
  if (privateKeyFile !== undefined) {
    const { algorithms } = wanted;
    const file = followKeyFileAs(privateKeyFile, { passphrase, algorithms }, (key) =>
      openKeyObject(key, wanted),
    );
    const sign = Object.assign((base: Uint8Array) => file.sign(base), { algorithm: file.algorithm });
    return { sign, publicKey: () => file.publicKey() };
  }
  if (privateKey instanceof KeyObject)
    return { sign: await openKeyObject(privateKey, wanted), publicKey: undefined };
  if (typeof privateKey === 'string' && pssOf(wanted) === undefined)
    return { sign: createAsyncBaseSigner(readSigningKey(privateKey, passphrase)), publicKey: undefined };
  const sign = await openProfileKey(privateKey, passphrase, wanted, algorithm);
  return { sign, publicKey: isKeySource(privateKey) ? () => publicKeyOf(privateKey) : undefined };
}

async function openKeyObject(key: KeyObject, wanted: WantedKey): Promise<ProfileSign> {
  const isRsa = key.type === 'private' && key.asymmetricKeyType?.startsWith('rsa') === true;
  if (!isRsa || pssOf(wanted) === undefined) return createAsyncBaseSigner(key);
  return openProfileKey(key.export({ type: 'pkcs8', format: 'pem' }), undefined, wanted, undefined);
}

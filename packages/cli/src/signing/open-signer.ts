import {
  createSigner,
  keyFingerprint,
  readPlainPrivateKey,
  readPublicKey,
  type Signer,
  SigningError,
} from '@countersign/signature/node';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { CommandError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { writeNote } from '../terminal/report.ts';
import { type Credentials, findPassphrase } from './credentials.ts';

export interface OpenSigner {
  readonly signer: Signer;
  /** The public key's fingerprint, to compare with the registered one. Takes about 50 ms. */
  readonly fingerprint: () => string | undefined;
  readonly publicKeyPem: () => string;
  readonly keyObject: () => KeyObject;
}

/** Reads the credentials' private key and creates a signer. Throws a CommandError that contains none of the key. */
export async function openSigner(
  credentials: Credentials,
  options: { readonly passphraseFile: string | undefined; readonly nonce: boolean },
  io: Io,
): Promise<OpenSigner> {
  const { clientId, privateKeyFile } = credentials;
  const privateKey = await readTextFile(io, privateKeyFile, 'private key');
  const passphrase = await findPassphrase(options.passphraseFile, io);
  await warnIfOthersCanRead(privateKeyFile, io);
  return signerOf({ clientId, privateKeyFile, privateKey, passphrase, nonce: options.nonce });
}

/** A private key's text, and the file that it comes from. */
export interface PrivateKeyText {
  readonly clientId: string;
  /** Named in errors. */
  readonly privateKeyFile: string;
  readonly privateKey: string;
  readonly passphrase: string | undefined;
  readonly nonce: boolean;
}

/** Creates a signer with a private key's text. Throws a CommandError that contains none of the key. */
export function signerOf(key: PrivateKeyText): OpenSigner {
  const { clientId, privateKeyFile, privateKey, passphrase, nonce } = key;
  try {
    const signer = createSigner({
      keyid: clientId,
      privateKey,
      nonce,
      ...(passphrase !== undefined && { passphrase }),
    });
    const keyObject = (): KeyObject => readKeyObject(privateKey, passphrase);
    const publicKeyPem = (): string => publicPemOf(keyObject());
    return { signer, fingerprint: () => fingerprintOf(publicKeyPem()), publicKeyPem, keyObject };
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    if (error.code === 'keyid_invalid') throw new CommandError('usage', error.code, error.message);
    const advice = / passphrase /.test(error.message)
      ? ' (--passphrase-file FILE, or COUNTERSIGN_PASSPHRASE)'
      : '';
    throw new CommandError('local', error.code, `${privateKeyFile}: ${error.message}${advice}`);
  }
}

/** Only for text that createSigner has accepted. */
function readKeyObject(privateKey: string, passphrase: string | undefined): KeyObject {
  const plain = readPlainPrivateKey(privateKey);
  if (plain.ok) return createPrivateKey({ key: Buffer.from(plain.pkcs8Der), format: 'der', type: 'pkcs8' });
  return createPrivateKey(
    privateKey.includes('-----')
      ? { key: privateKey.trim(), format: 'pem', passphrase }
      : { key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8', passphrase },
  );
}

function publicPemOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'pem', type: 'spki' });
}

function fingerprintOf(publicKey: string): string | undefined {
  const reading = readPublicKey(publicKey, { modulusBitsMax: 8192, allowPublishedTestKeys: true });
  return reading.ok ? keyFingerprint(reading.key) : undefined;
}

async function warnIfOthersCanRead(file: string, io: Io): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await stat(file);
  if ((mode & 0o077) !== 0) writeNote(io, `other users can read ${file}: chmod 600 ${file}`);
}

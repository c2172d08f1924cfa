import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { stat } from 'node:fs/promises';
import {
  createSigner,
  keyFingerprint,
  readPlainPrivateKey,
  readPublicKey,
  type Signer,
  SigningError,
} from '@countersign/signature/node';
import { CommandError } from '../command-error.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { writeNote } from '../terminal/report.ts';
import type { Credentials } from './credentials.ts';
import { findPassphrase } from './passphrase.ts';

/** A signer, and what can be told of its key. */
export interface OpenSigner {
  readonly signer: Signer;
  /** The fingerprint of the public half, to compare with the registered one. Takes some 50 ms. */
  readonly fingerprint: () => string | undefined;
  /** The public half as PEM (SPKI). */
  readonly publicKeyPem: () => string;
}

/** Reads the private key of the credentials and makes a signer of it. Throws CommandError that holds nothing of the key. */
export async function openSigner(
  credentials: Credentials,
  options: { readonly passphraseFile: string | undefined; readonly nonce: boolean },
  io: Io,
): Promise<OpenSigner> {
  const { clientId, privateKeyFile } = credentials;
  const privateKey = await readTextFile(io, privateKeyFile, 'private key');
  const passphrase = await findPassphrase(options.passphraseFile, io);
  await warnIfOthersCanRead(privateKeyFile, io);
  try {
    const signer = createSigner({
      keyid: clientId,
      privateKey,
      nonce: options.nonce,
      ...(passphrase !== undefined && { passphrase }),
    });
    const publicKeyPem = (): string => publicPemOf(keyObject(privateKey, passphrase));
    return { signer, fingerprint: () => fingerprintOf(publicKeyPem()), publicKeyPem };
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    if (error.code === 'keyid_invalid') throw new CommandError('usage', error.code, error.message);
    const advice = / passphrase /.test(error.message)
      ? ' (--passphrase-file FILE, or COUNTERSIGN_PASSPHRASE)'
      : '';
    throw new CommandError('local', error.code, `${privateKeyFile}: ${error.message}${advice}`);
  }
}

/** Called only with texts that a signer was made of. */
function keyObject(privateKey: string, passphrase: string | undefined): KeyObject {
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

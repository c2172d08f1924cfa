import {
  describeKey,
  everyKeySize,
  keyFingerprint,
  readPublicKey,
  type VerificationKey,
  verificationKey,
} from '@countersign/signature/node';
import { CommandError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';

export interface PublicKeyFile {
  readonly verificationKey: VerificationKey;
  readonly fingerprint: string;
  /** What it is: `RSA, 3072 bits`. */
  readonly kind: string;
  /** Set if the private key is published, so that a valid signature proves nothing. */
  readonly warning: string | undefined;
}

/** Reads a public key to verify with. Rejects a private key with advice, without repeating any of it. */
export async function readPublicKeyFile(path: string, io: Io): Promise<PublicKeyFile> {
  const text = await readTextFile(io, path, 'public key');
  const strict = readPublicKey(text, everyKeySize);
  const isPublished = !strict.ok && strict.code === 'published_test_key';
  const reading = isPublished
    ? readPublicKey(text, { ...everyKeySize, allowPublishedTestKeys: true })
    : strict;
  if (!reading.ok) throw new CommandError('local', reading.code, `${path}: ${reading.message}`);
  return {
    verificationKey: verificationKey(reading.key),
    fingerprint: keyFingerprint(reading.key),
    kind: describeKey(reading.key),
    warning: isPublished ? 'This is a published test key: anyone can sign with it.' : undefined,
  };
}

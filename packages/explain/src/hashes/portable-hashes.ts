import type { HashFunction, OtherHash } from '../explanation.ts';
import { md5 } from './md5.ts';
import { sha1 } from './sha1.ts';
import { sha224, sha256 } from '@countersign/signature/hashes';
import { sha384, sha512 } from './sha512.ts';

/** SHA-256 for runtimes that only offer it asynchronously. Only for explaining: it is not constant-time. */
export const portableSha256: HashFunction = sha256;

/** The hash functions that mistaken signers use, for the same runtimes and purpose. */
export const portableHashes: Readonly<Record<OtherHash, HashFunction>> = {
  md5,
  sha1,
  sha224,
  sha384,
  sha512,
};

import type { DigestToCompare } from '@countersign/signature/messages/request';
import { hashesOf } from '../checks.ts';
import type { ExplainOptions } from '../explanation.ts';

/** Returns the digest of a body; undefined if there is no such hash function here. */
export function digestOf(
  algorithm: DigestToCompare['algorithm'],
  body: Uint8Array,
  options: ExplainOptions,
): Uint8Array | undefined {
  const hashes = hashesOf(options);
  return algorithm === 'sha-256' ? hashes.sha256(body) : hashes.sha512?.(body);
}

import type { Hashes } from '../explanation.ts';
import { type Finding, finding } from '../findings/finding.ts';
import type { MeantSignature } from '../reading/lenient-signature.ts';
import { lossOf, readBase32, restoredSignatures } from '../reading/mangled-signature.ts';
import type { Budget } from '../search/budget.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import { findSigner, type FoundSigner } from '../search/signer-search.ts';

/** Finds the key that made a signature whose bytes were changed before they were sent. */
export function restoredSigner(
  { bytes, content }: MeantSignature,
  keys: readonly SigningKey[],
  hashes: Hashes,
  budget: Budget,
): { readonly signer: FoundSigner; readonly finding: Finding } | undefined {
  const sizes = new Set(keys.map(({ signatureBytes }) => signatureBytes));
  for (const restored of restoredSignatures(bytes, content, sizes)) {
    const signer = findSigner(restored.bytes, keys, hashes, budget);
    if (signer) return { signer, finding: finding('signature_form', 'proven', restored.words) };
  }
  return undefined;
}

/** Reports a signature in Base32 that no known key made. Its form is visible without a key. */
export function unknownInBase32(
  signature: MeantSignature | undefined,
): { readonly byteCount: number; readonly finding: Finding } | undefined {
  const read = signature && readBase32(signature.content);
  return read && { byteCount: read.bytes.length, finding: finding('signature_form', 'observed', read.words) };
}

/** Reports that the signature's bytes cannot be restored. */
export function lossFinding(
  signature: MeantSignature | undefined,
  signer: FoundSigner | undefined,
): Finding | undefined {
  if (!signature || signer || signature.bytes.length === 0) return undefined;
  const words = lossOf(signature.bytes);
  return words && finding('signature_form', 'observed', words);
}

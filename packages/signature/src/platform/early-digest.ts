/*
 * Digests that begin beside the verification of the signature, where other threads do both: waking one takes longer than the
 * digest of a few kilobytes. Their results wait for the signature.
 */

/** The longest body whose digest begins early: what a request without a valid signature costs stays below its signature. */
export const earlyDigestBytesMax = 16_384;

/** Lets an operation fail before anyone waits for its result; whoever does, learns of it. */
export function failingLater<Result>(operation: Promise<Result>): Promise<Result> {
  operation.catch(() => undefined);
  return operation;
}

import { contentDigest, type SignedRequest, SigningError } from '@countersign/signature/node';
import { CommandError } from '../command-error.ts';
import type { Io } from '../terminal/io.ts';
import type { OpenSigner } from './open-signer.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { takeSecond } from './signed-seconds.ts';

/** Signs a request in a second of its own. */
export async function signOutgoing(
  request: OutgoingRequest,
  { signer }: OpenSigner,
  io: Io,
): Promise<SignedRequest> {
  const { method, url, body } = request;
  const digest = body === undefined ? '' : contentDigest(body);
  const created = await takeSecond([signer.keyid, method, url, digest], io);
  try {
    return signer.sign({ method, url, body }, { created });
  } catch (error) {
    if (error instanceof SigningError) throw new CommandError('usage', error.code, error.message);
    throw error;
  }
}

/** The header lines that a signature adds to a request. */
export function signatureLines({ headers }: SignedRequest): [name: string, value: string][] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

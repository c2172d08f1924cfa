import { SigningError } from '@countersign/signature';
import { contentDigest } from '@countersign/signature/node';
import { aheadSecondsMax, sharedSeconds } from '@countersign/signature/shared-seconds';
import type { TakeSecond } from '../signing/request-signer.ts';

/**
 * Returns a function that takes, for each request, the first second that no process with this folder has used
 * for an equal one; a request that may repeat can share the second of a recent equal one. It rejects with a
 * SigningError.
 */
export function secondsFolder(folder: string, clientId: string): TakeSecond {
  const take = sharedSeconds(folder);
  return async ({ method, url, body }, nowMs, mayRepeat) => {
    const digest = body && body.byteLength > 0 ? contentDigest(body) : '';
    const request = { clientId, method: method.toUpperCase(), url, digest };
    const second = await take(request, nowMs, mayRepeat).catch((error: unknown) => {
      // Without the record another process could create the same signature, so nothing is signed.
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new SigningError('signing_failed', `The sharedFolder ${folder} cannot be written (${code}).`, {
        cause: error,
      });
    });
    if (second !== undefined) return second;
    throw new SigningError(
      'too_many_equal_requests',
      `More than ${aheadSecondsMax} identical requests at once: each needs its own second, so at most one a second can be ` +
        'kept up. Wait a second, or make the requests differ, for example by a query parameter.',
    );
  };
}

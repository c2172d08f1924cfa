import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SigningError } from '@countersign/signature';
import { contentDigest } from '@countersign/signature/node';
import type { RequestWithTarget } from '../signing/request-signer.ts';

/** How far `created` may run ahead of the clock: half of what the service allows. */
const aheadSecondsMax = 30;
/** No service accepts older signatures. */
const rememberSeconds = 420;
const forgetEverySeconds = 60;

/**
 * Returns a function that takes, for each request, the first second that no process with this folder has used for an
 * equal one: an empty file `HASH.SECOND`, created exclusively, as the signers of other languages do. The hash hides the
 * request; whoever can write to the folder can only delay signatures.
 */
export function secondsFolder(
  folder: string,
  clientId: string,
): (request: RequestWithTarget, nowMs: number) => Promise<number> {
  let preparedAtSeconds = Number.NEGATIVE_INFINITY;
  let preparing = Promise.resolve();
  // Requests that come meanwhile wait for the same.
  const prepared = (nowSeconds: number): Promise<void> => {
    if (Math.abs(nowSeconds - preparedAtSeconds) < forgetEverySeconds) return preparing;
    preparedAtSeconds = nowSeconds;
    preparing = prepare(folder, nowSeconds).catch((error: unknown) => {
      // The next request tries again.
      preparedAtSeconds = Number.NEGATIVE_INFINITY;
      throw error;
    });
    return preparing;
  };
  return async ({ method, url, body }, nowMs) => {
    const nowSeconds = Math.floor(nowMs / 1000);
    const digest = body && body.byteLength > 0 ? contentDigest(body) : '';
    const parts = [clientId, method.toUpperCase(), url, digest];
    const hash = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
    try {
      await prepared(nowSeconds);
      for (let second = nowSeconds; second <= nowSeconds + aheadSecondsMax; second++) {
        if (await isCreated(join(folder, `${hash}.${second}`))) return second;
      }
    } catch (error) {
      // Without the record another process could send the same signature, so nothing is signed.
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new SigningError('signing_failed', `The sharedFolder ${folder} cannot be written (${code}).`, {
        cause: error,
      });
    }
    throw new SigningError(
      'too_many_equal_requests',
      `More than ${aheadSecondsMax} equal requests within a moment: each needs a second of its own. ` +
        'Wait a second, or make the requests differ, for example by a query parameter.',
    );
  };
}

async function isCreated(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Creates the folder, and deletes files that no service accepts any more. */
async function prepare(folder: string, nowSeconds: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const old = (await readdir(folder)).filter((name) => {
    const second = Number(/^[0-9a-f]{32}\.(\d+)$/.exec(name)?.[1]);
    return second < nowSeconds - rememberSeconds;
  });
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}

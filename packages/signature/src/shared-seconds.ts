/**
 * Prevents several processes on Node from signing equal requests in the same second, with a shared folder.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { equalReadsMs } from './profile/signing.ts';

/** How far `created` may run ahead of the clock: half of what the service allows. */
export const aheadSecondsMax = 30;
/** No service accepts older signatures. */
const rememberSeconds = 420;
const forgetEverySeconds = 60;

/** What distinguishes requests with different signatures. */
export interface EqualRequest {
  readonly clientId: string;
  /** In upper case. */
  readonly method: string;
  readonly url: string;
  /** The value of `Content-Digest`; empty without a body. */
  readonly digest: string;
}

/**
 * Returns a function that takes the first second from now on in which no process with this folder has signed
 * an equal request; undefined if there is none within `aheadSecondsMax`. A request that `mayRepeat` may share
 * a second that was taken less than a second ago. Rejects with errors of the file system.
 *
 * Equal requests in the same second have the same signature, and the service rejects the second one as a
 * replay. A second is recorded as an empty file `HASH.SECOND`, as the signers of all languages do: creating a
 * file exclusively is atomic across processes. The hash hides the request; a person who can write to the
 * folder can only delay signatures.
 */
export function sharedSeconds(
  folder: string,
): (request: EqualRequest, nowMs: number, mayRepeat?: boolean) => Promise<number | undefined> {
  const prepared = preparation(folder);
  return async ({ clientId, method, url, digest }, nowMs, mayRepeat = false) => {
    const nowSeconds = Math.floor(nowMs / 1000);
    const parts = [clientId, method, url, digest];
    const hash = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
    await prepared(nowSeconds);
    for (let second = nowSeconds; second <= nowSeconds + aheadSecondsMax; second++) {
      const file = join(folder, `${hash}.${second}`);
      if ((await isCreated(file)) || (mayRepeat && (await isNew(file)))) return second;
    }
    return undefined;
  };
}

/** Prepares the folder once a minute. Requests that arrive meanwhile wait for the same preparation. */
function preparation(folder: string): (nowSeconds: number) => Promise<void> {
  let preparedAtSeconds = Number.NEGATIVE_INFINITY;
  let preparing = Promise.resolve();
  return (nowSeconds) => {
    if (Math.abs(nowSeconds - preparedAtSeconds) < forgetEverySeconds) return preparing;
    preparedAtSeconds = nowSeconds;
    preparing = prepare(folder, nowSeconds).catch((error: unknown) => {
      // The next request tries again.
      preparedAtSeconds = Number.NEGATIVE_INFINITY;
      throw error;
    });
    return preparing;
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

/**
 * Returns true if equal reads may still share the second of a file. The clock of a file system may differ a
 * little from ours.
 */
async function isNew(file: string): Promise<boolean> {
  try {
    return Math.abs(Date.now() - (await stat(file)).mtimeMs) < equalReadsMs;
  } catch (error) {
    // Another process has deleted it: it was old.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
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

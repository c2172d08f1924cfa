import { type RequestToSign, type SignedRequest, type Signer, SigningError } from '@countersign/signature';
import { contentDigest } from '@countersign/signature/node';
import { aheadSecondsMax, sharedSeconds } from '@countersign/signature/shared-seconds';
import { stat } from 'node:fs/promises';
import { CommandError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { KeySource } from '../signing/key-source.ts';
import type { Io } from '../terminal/io.ts';

export interface FollowedKey {
  readonly clientId: string;
  readonly keyFile: string;
  readonly source: KeySource;
  readonly nonce: boolean;
  /** Where processes with the same key record which seconds they have used. Undefined for a key of one process. */
  readonly sharedFolder: string | undefined;
}

/** A request whose URL is the one that is sent. */
export interface ProxiedRequest extends RequestToSign {
  readonly url: string;
  readonly body: Uint8Array;
}

/** A signer whose key is always the one in the key file. */
export interface FollowedSigner {
  /** Signs a request as it will be sent. Rejects with SigningError. */
  sign(request: ProxiedRequest): Promise<SignedRequest>;
  readonly fingerprint: string | undefined;
  /** How often the key file has brought another key. */
  readonly changes: number;
  /** How far the clock that signs is ahead of this machine's. */
  readonly aheadMs: number;
  /** Takes over the clock of the service. False if that is more than a day off. */
  correctClock(serverMs: number): boolean;
  close(): void;
}

/** How often the key file is looked at. */
const lookEveryMs = 500;

/** A clock that is further off is not corrected. */
const correctionMsMax = 86_400_000;

/**
 * Opens the signer of a key file. A change of the file takes effect within a second; a file that cannot be read leaves
 * the present key in use, and `warn` says so.
 */
export async function followSigner(
  key: FollowedKey,
  warn: (text: string) => void,
  io: Io,
): Promise<FollowedSigner> {
  let aheadMs = 0;
  let changes = 0;
  const open = async (): Promise<OpenKey> => openKey(key, () => io.nowMs() + aheadMs, io);
  let version = await versionOf(key);
  let present = await open();
  const look = async (): Promise<void> => {
    const now = await versionOf(key);
    if (now === version) return;
    version = now;
    const next = await open();
    if (next.fingerprint === present.fingerprint) return;
    present = next;
    changes += 1;
    warn(`the key file has another key now: ${next.fingerprint}`);
  };
  const takeSecond = key.nonce ? undefined : secondsTaker(key);
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look()
      .catch((error: unknown) =>
        warn(`the key stays in use: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => (looking = false));
  }, lookEveryMs);
  timer.unref();
  return {
    async sign(request) {
      const takes = takeSecond && { created: await takeSecond(request, io.nowMs() + aheadMs) };
      return present.signer.sign(request, takes);
    },
    get fingerprint() {
      return present.fingerprint;
    },
    get changes() {
      return changes;
    },
    get aheadMs() {
      return aheadMs;
    },
    correctClock(serverMs) {
      const offMs = serverMs - io.nowMs();
      if (!(Math.abs(offMs) <= correctionMsMax)) return false;
      if (aheadMs === 0)
        warn(`the clock of this machine is ${Math.round(Math.abs(offMs) / 1000)} s off; set it`);
      aheadMs = offMs;
      return true;
    },
    close: () => clearInterval(timer),
  };
}

/** Undefined if no other process signs with the key. */
function secondsTaker({
  clientId,
  sharedFolder,
}: FollowedKey): ((request: ProxiedRequest, nowMs: number) => Promise<number>) | undefined {
  if (sharedFolder === undefined) return undefined;
  const take = sharedSeconds(sharedFolder);
  return async ({ method, url, body }, nowMs) => {
    const digest = body.byteLength > 0 ? contentDigest(body) : '';
    const second = await take({ clientId, method: method.toUpperCase(), url, digest }, nowMs).catch(
      (error: unknown) => {
        // Without the record another process could send the same signature, so nothing is signed.
        const { code = 'unknown error' } = error as NodeJS.ErrnoException;
        throw new SigningError('signing_failed', `The shared folder cannot be written (${code}).`, {
          cause: error,
        });
      },
    );
    if (second !== undefined) return second;
    throw new SigningError(
      'too_many_equal_requests',
      `More than ${aheadSecondsMax} identical requests at once: each needs its own second. Wait a second, or make them differ.`,
    );
  };
}

interface OpenKey {
  readonly signer: Signer;
  readonly fingerprint: string | undefined;
}

async function openKey(key: FollowedKey, nowMs: () => number, io: Io): Promise<OpenKey> {
  const { clientId, keyFile, source, nonce } = key;
  const text = await readTextFile(io, keyFile, source.holds);
  const { signer, fingerprint } = await source.open(text, keyFile, { clientId, nonce, nowMs });
  return { signer, fingerprint: fingerprint() };
}

/** Changes whenever the file is replaced or written. */
async function versionOf({ keyFile, source }: FollowedKey): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(keyFile, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    throw new CommandError('local', 'file', `The ${source.holds} ${keyFile} cannot be read.`);
  }
}

import { type SignedRequest, SigningError } from '@countersign/signature';
import { contentDigest } from '@countersign/signature/node';
import { readMethods, strictMs, waitForSecond, type WaitOptions } from '@countersign/signature/free-second';
import { aheadSecondsMax, sharedSeconds } from '@countersign/signature/shared-seconds';
import { stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { CommandError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { CommandSigner, KeySource, RequestOfCommand } from '../signing/key-source.ts';
import type { ProfileChoice } from '../signing/message-profile.ts';
import type { Io } from '../terminal/io.ts';

export interface FollowedKey {
  readonly clientId: string;
  readonly keyFile: string;
  readonly source: KeySource;
  readonly nonce: boolean;
  /**
   * The folder in which processes with the same key record the seconds that they have used. Undefined if only
   * one process has the key.
   */
  readonly sharedFolder: string | undefined;
  /** Another profile than the service's own. */
  readonly profile?: ProfileChoice | undefined;
}

/** A request with the exact URL that is sent. */
export interface ProxiedRequest extends RequestOfCommand {
  readonly url: string;
  readonly body: Uint8Array;
}

export interface ProxySignOptions extends WaitOptions {
  /** True if an equal read must have its own second, as if the service were strict. */
  readonly ownSecond: boolean;
}

/** A signer whose key is always the current one in the key file. */
export interface FollowedSigner {
  /**
   * Signs a request in its final form. Equal reads share a second; an equal change waits for a free one.
   * Rejects with SigningError.
   */
  sign(request: ProxiedRequest, options: ProxySignOptions): Promise<SignedRequest>;
  readonly fingerprint: string | undefined;
  /** The headers that a signer by another profile sets, in lower case. */
  readonly profileHeaders: readonly string[] | undefined;
  /** The number of times that the key file contained a new key. */
  readonly changes: number;
  /** The lead of the signing clock over this machine's. */
  readonly aheadMs: number;
  /** Adopts the service's clock. False if that is more than a day off. */
  correctClock(serverMs: number): boolean;
  /** Gives each equal read its own second for ten seconds, because the service has rejected one. */
  separateReads(): void;
  close(): void;
}

/** The interval between two checks of the key file. */
const lookEveryMs = 500;

/** The largest difference that is corrected. */
const correctionMsMax = 86_400_000;

/**
 * Opens the signer of a key file. A change of the file takes effect within a second; an unreadable file
 * leaves the current key in use, and `warn` reports it.
 */
export async function followSigner(
  key: FollowedKey,
  warn: (text: string) => void,
  io: Io,
): Promise<FollowedSigner> {
  let aheadMs = 0;
  let changes = 0;
  let strictUntilMs = Number.NEGATIVE_INFINITY;
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
  // A signer by another profile takes its seconds itself, and learns nothing from its target, which may be any site.
  const isOwn = key.profile === undefined;
  const takeSecond = key.nonce || !isOwn ? undefined : secondsTaker(key);
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
    sign(request, { ownSecond, ...waiting }) {
      const nowMs = (): number => io.nowMs() + aheadMs;
      const mayRepeat = readMethods.has(request.method) && nowMs() >= strictUntilMs && !ownSecond;
      const sign = async (): Promise<SignedRequest> => {
        const taken = takeSecond && { created: await takeSecond(request, nowMs(), mayRepeat) };
        return present.signer.sign(request, { ...taken, mayRepeat });
      };
      return waitForSecond(sign, { nowMs, pause }, waiting);
    },
    get fingerprint() {
      return present.fingerprint;
    },
    profileHeaders: present.profileHeaders,
    get changes() {
      return changes;
    },
    get aheadMs() {
      return aheadMs;
    },
    correctClock(serverMs) {
      if (!isOwn) return false;
      const offMs = serverMs - io.nowMs();
      if (!(Math.abs(offMs) <= correctionMsMax)) return false;
      if (aheadMs === 0)
        warn(`the clock of this machine is ${Math.round(Math.abs(offMs) / 1000)} s off; set it`);
      aheadMs = offMs;
      return true;
    },
    separateReads() {
      strictUntilMs = io.nowMs() + aheadMs + strictMs;
    },
    close: () => clearInterval(timer),
  };
}

/** Undefined if no other process signs with the key. */
function secondsTaker({
  clientId,
  sharedFolder,
}: FollowedKey):
  | ((request: ProxiedRequest, nowMs: number, mayRepeat: boolean) => Promise<number>)
  | undefined {
  if (sharedFolder === undefined) return undefined;
  const take = sharedSeconds(sharedFolder);
  return async ({ method, url, body }, nowMs, mayRepeat) => {
    const digest = body.byteLength > 0 ? contentDigest(body) : '';
    const request = { clientId, method: method.toUpperCase(), url, digest };
    const second = await take(request, nowMs, mayRepeat).catch((error: unknown) => {
      // Without the record another process could create the same signature, so nothing is signed.
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new SigningError('signing_failed', `The shared folder cannot be written (${code}).`, {
        cause: error,
      });
    });
    if (second !== undefined) return second;
    throw new SigningError(
      'too_many_equal_requests',
      `More than ${aheadSecondsMax} identical requests at once: each needs its own second, so at most one a second can be kept up. Wait a second, or make them differ.`,
    );
  };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<unknown> {
  return setTimeout(ms, undefined, { ...(signal !== undefined && { signal }) });
}

interface OpenKey {
  readonly signer: CommandSigner;
  readonly fingerprint: string | undefined;
  readonly profileHeaders: readonly string[] | undefined;
}

async function openKey(key: FollowedKey, nowMs: () => number, io: Io): Promise<OpenKey> {
  const { clientId, keyFile, source, nonce, sharedFolder } = key;
  const text = await readTextFile(io, keyFile, source.holds);
  const profile = key.profile && { choice: key.profile, sharedFolder };
  const open = await source.open(text, keyFile, { clientId, nonce, nowMs, profile });
  return { signer: open.signer, fingerprint: open.fingerprint(), profileHeaders: open.profileHeaders };
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

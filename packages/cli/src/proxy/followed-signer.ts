import { createSigner, type Signer } from '@countersign/signature';
import { constants, sign } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { CommandError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import { signerOf } from '../signing/open-signer.ts';
import type { Io } from '../terminal/io.ts';

export interface FollowedKey {
  readonly clientId: string;
  readonly privateKeyFile: string;
  readonly passphrase: string | undefined;
  readonly nonce: boolean;
}

/** A signer whose key is always the one in the key file. */
export interface FollowedSigner {
  readonly signer: Signer;
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

const signInThreadPool = promisify(sign);

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
  let version = await versionOf(key.privateKeyFile);
  let present = await open();
  const look = async (): Promise<void> => {
    const now = await versionOf(key.privateKeyFile);
    if (now === version) return;
    version = now;
    const next = await open();
    if (next.fingerprint === present.fingerprint) return;
    present = next;
    changes += 1;
    warn(`the key file has another key now: ${next.fingerprint}`);
  };
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
    get signer() {
      return present.signer;
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

interface OpenKey {
  readonly signer: Signer;
  readonly fingerprint: string | undefined;
}

/** RSA runs in the thread pool, so that many requests at once do not hold up the others. */
async function openKey(key: FollowedKey, nowMs: () => number, io: Io): Promise<OpenKey> {
  const { clientId, privateKeyFile, passphrase, nonce } = key;
  const privateKey = await readTextFile(io, privateKeyFile, 'private key');
  const opened = signerOf({ clientId, privateKeyFile, privateKey, passphrase, nonce });
  const input = { key: opened.keyObject(), padding: constants.RSA_PKCS1_PADDING };
  const signer = await createSigner({
    keyid: clientId,
    privateKey: (base) => signInThreadPool('sha256', base, input),
    nonce,
    nowMs,
  });
  return { signer, fingerprint: opened.fingerprint() };
}

/** Changes whenever the file is replaced or written. */
async function versionOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    throw new CommandError('local', 'file', `The private key ${file} cannot be read.`);
  }
}

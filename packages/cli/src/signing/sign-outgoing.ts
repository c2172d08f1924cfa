import { contentDigest, type SignedRequest, SigningError } from '@countersign/signature/node';
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../exits.ts';
import type { Io } from '../terminal/io.ts';
import { type Credentials, type CredentialValues, findCredentials } from './credentials.ts';
import type { OpenSigner } from './key-source.ts';
import { openSigner } from './open-signer.ts';
import { buildRequest, type OutgoingRequest, type RequestValues } from './outgoing-request.ts';

/** A signed request, the request it was made from, and who signed. */
export interface SignedOutgoing {
  readonly credentials: Credentials;
  readonly outgoing: OutgoingRequest;
  readonly signer: OpenSigner;
  readonly signed: SignedRequest;
}

/** Builds and signs the request that a command line describes. */
export async function signOutgoing(
  positionals: readonly string[],
  values: CredentialValues &
    RequestValues & { readonly 'passphrase-file': string | undefined; readonly nonce: boolean },
  io: Io,
): Promise<SignedOutgoing> {
  const credentials = await findCredentials(values, io);
  const outgoing = await buildRequest(positionals, values, credentials.baseUrl, io);
  const signer = await openSigner(
    credentials,
    { passphraseFile: values['passphrase-file'], nonce: values.nonce },
    io,
  );
  return { credentials, outgoing, signer, signed: await signRequest(outgoing, signer, io) };
}

/** Signs a request in a second not used for an equal request. */
export async function signRequest(
  { method, url, body }: OutgoingRequest,
  { signer }: OpenSigner,
  io: Io,
): Promise<SignedRequest> {
  const digest = body === undefined ? '' : contentDigest(body);
  const created = await takeSecond([signer.keyid, method, url, digest], io);
  try {
    return await signer.sign({ method, url, body }, { created });
  } catch (error) {
    if (error instanceof SigningError) throw new CommandError('usage', error.code, error.message);
    throw error;
  }
}

export function signatureLines({ headers }: SignedRequest): [name: string, value: string][] {
  return Object.entries(headers).map(([name, value]) => [name, value]);
}

/** How far `created` may run ahead of the clock: half of what the service allows. */
const aheadSecondsMax = 30;
/** No service accepts older signatures. */
const rememberSeconds = 420;

/**
 * Reserves the first second from now on in which this user has not signed an equal request.
 *
 * Equal requests in the same second have the same signature, and the service rejects the second one as a replay.
 * Every run of this program is a new process, so it records seconds as empty files in the user's state folder:
 * creating a file exclusively is atomic across processes. If no file can be created, it returns the current second
 * and records nothing.
 */
async function takeSecond(equalParts: readonly string[], io: Io): Promise<number> {
  const nowSeconds = Math.floor(io.nowMs() / 1000);
  const folder = stateFolder(io);
  const name = createHash('sha256').update(equalParts.join('\0')).digest('hex').slice(0, 32);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await forgetOld(folder, nowSeconds);
    for (let second = nowSeconds; second <= nowSeconds + aheadSecondsMax; second++) {
      if (await isMade(join(folder, `${name}.${second}`))) return second;
    }
  } catch {
    return nowSeconds;
  }
  throw new CommandError(
    'local',
    'too_many_equal_requests',
    `More than ${aheadSecondsMax} identical requests at once: each needs its own second. Wait a second, or make ` +
      `them differ.`,
  );
}

async function isMade(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function forgetOld(folder: string, nowSeconds: number): Promise<void> {
  const old = (await readdir(folder)).filter((name) => {
    const second = Number(/^[0-9a-f]{32}\.(\d+)$/.exec(name)?.[1]);
    return second < nowSeconds - rememberSeconds;
  });
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}

function stateFolder(io: Io): string {
  const { XDG_STATE_HOME: stateHome, LOCALAPPDATA: localData } = io.environment;
  return join(stateHome || localData || join(homedir(), '.local', 'state'), 'countersign', 'signed');
}

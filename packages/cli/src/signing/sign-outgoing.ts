import { contentDigest, type SignedRequest, SigningError } from '@countersign/signature/node';
import { waitForSecond } from '@countersign/signature/free-second';
import { aheadSecondsMax, type EqualRequest, sharedSeconds } from '@countersign/signature/shared-seconds';
import { access, constants, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../exits.ts';
import type { Io } from '../terminal/io.ts';
import { type Credentials, type CredentialValues, findCredentials } from './credentials.ts';
import { headerValue } from './header-value.ts';
import type { OpenSigner } from './key-source.ts';
import { chooseProfile, type ProfileValues } from './message-profile.ts';
import { openSigner } from './open-signer.ts';
import { buildRequest, type OutgoingRequest, type RequestValues } from './outgoing-request.ts';

/** A signed request, its original, and the signer. */
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
    RequestValues &
    ProfileValues & { readonly 'passphrase-file': string | undefined },
  io: Io,
): Promise<SignedOutgoing> {
  const choice = await chooseProfile(values, io);
  const credentials = await findCredentials(values, io, choice?.kind === 'agent');
  const outgoing = await buildRequest(positionals, values, credentials.baseUrl, io, choice?.kind);
  const profile = choice && { choice, sharedFolder: await writableStateFolder(io) };
  const signer = await openSigner(
    credentials,
    { passphraseFile: values['passphrase-file'], nonce: values.nonce, profile },
    io,
  );
  return { credentials, outgoing, signer, signed: await signRequest(outgoing, signer, io) };
}

/**
 * Signs a request in a second that no equal one has used, waiting for one if necessary. This includes reads,
 * because the program does not remember from one run to the next that a service is strict.
 */
export async function signRequest(
  { method, url, body, headers }: OutgoingRequest,
  { signer, profileHeaders }: OpenSigner,
  io: Io,
): Promise<SignedRequest> {
  const digest = body === undefined ? '' : contentDigest(body);
  const sign = async (): Promise<SignedRequest> => {
    if (profileHeaders !== undefined)
      return signer.sign({ method, url, body, header: (name) => headerValue(headers, name) });
    const created = await takeSecond({ clientId: signer.keyid, method, url, digest }, io);
    return signer.sign({ method, url, body }, { created });
  };
  try {
    return await waitForSecond(sign, io);
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    const kind = error.code === 'too_many_equal_requests' ? 'local' : 'usage';
    throw new CommandError(kind, error.code, error.message);
  }
}

export function signatureLines({ headers }: SignedRequest): [name: string, value: string][] {
  return Object.entries(headers).map(([name, value]) => [name, value]);
}

/**
 * Every run of this program is a new process, so seconds are recorded in the user's state folder. If no file can be
 * created there, it returns the current second and records nothing.
 */
async function takeSecond(request: EqualRequest, io: Io): Promise<number> {
  const nowMs = io.nowMs();
  let second: number | undefined;
  try {
    second = await sharedSeconds(stateFolder(io))(request, nowMs);
  } catch {
    return Math.floor(nowMs / 1000);
  }
  if (second !== undefined) return second;
  throw new SigningError(
    'too_many_equal_requests',
    `Too many identical requests: each needs its own second, at most ${aheadSecondsMax} ahead. Send one a second, or make them differ.`,
  );
}

/** Undefined if seconds cannot be recorded. */
async function writableStateFolder(io: Io): Promise<string | undefined> {
  const folder = stateFolder(io);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return folder;
  } catch {
    return undefined;
  }
}

function stateFolder(io: Io): string {
  const { XDG_STATE_HOME: stateHome, LOCALAPPDATA: localData } = io.environment;
  return join(stateHome || localData || join(homedir(), '.local', 'state'), 'countersign', 'signed');
}

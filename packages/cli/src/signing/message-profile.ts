import type { DefinedProfile, MessageAlgorithm } from '@countersign/signature/messages';
import { nearest } from '../arguments/nearest.ts';
import { CommandError, usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';

/** How requests are signed, if not by the service's own profile. */
export type ProfileChoice =
  | { readonly kind: 'agent'; readonly signatureAgent: string }
  | {
      readonly kind: 'profile';
      readonly options: {
        readonly profile: DefinedProfile;
        readonly algorithm: MessageAlgorithm | undefined;
        readonly tag: string | undefined;
        readonly alsoCover: readonly string[];
      };
    };

export const messageProfileOption = {
  type: 'string',
  placeholder: 'NAME|FILE',
  help: "A profile from countersign profiles, or a JSON file with one. Default: the service's own.",
} as const;

export const profileOptions = {
  'message-profile': messageProfileOption,
  algorithm: {
    type: 'string',
    placeholder: 'ALGORITHM',
    help: 'With --message-profile: the algorithm of an RSA key, if the profile has several.',
  },
  tag: {
    type: 'string',
    placeholder: 'TAG',
    help: "With --message-profile: one of the profile's tags. Default: its first.",
  },
  cover: {
    type: 'string',
    multiple: true,
    placeholder: 'COMPONENT',
    help: 'With --message-profile: cover this too, such as content-digest or content-type.',
  },
  'signature-agent': {
    type: 'string',
    placeholder: 'URL',
    help: 'Sign as an agent, by Web Bot Auth: the https URL of the JWK Set with the public key. The keyid is its thumbprint.',
  },
} as const;

export interface ProfileValues {
  readonly 'message-profile': string | undefined;
  readonly algorithm: string | undefined;
  readonly tag: string | undefined;
  readonly cover: readonly string[];
  readonly 'signature-agent': string | undefined;
  readonly nonce: boolean;
}

export const profileNote: string =
  'With --message-profile or --signature-agent, the request is signed by another profile, for other receivers: ' +
  '--client-id is the keyid that the receiver knows, and -H sets the headers that the profile covers.';

/** Reads how to sign; undefined for the service's own profile. Throws a CommandError. */
export async function chooseProfile(values: ProfileValues, io: Io): Promise<ProfileChoice | undefined> {
  const { 'message-profile': name, 'signature-agent': signatureAgent, algorithm, tag, cover } = values;
  const isAgent = signatureAgent !== undefined;
  if (isAgent && name !== undefined && name !== agentProfile)
    throw usageError(`--signature-agent signs by ${agentProfile}: leave out --message-profile.`);
  const defined = name === undefined || isAgent ? undefined : await readRequestProfile(name, io);
  if (defined === undefined && (algorithm !== undefined || tag !== undefined || cover.length > 0))
    throw usageError(
      '--algorithm, --tag and --cover need --message-profile, and another one than countersign.',
    );
  if (defined === undefined && !isAgent) return undefined;
  if (values.nonce)
    throw usageError(
      "--nonce is for the service's own profile. Other profiles say whether signatures have one.",
    );
  if (defined === undefined) return { kind: 'agent', signatureAgent: signatureAgent! };
  const { id, algorithms } = defined.profile;
  const chosen = algorithms.find((known) => known === algorithm);
  if (algorithm !== undefined && chosen === undefined)
    throw usageError(`${id} is not signed with "${algorithm}", but with ${algorithms.join(' or ')}.`);
  return { kind: 'profile', options: { profile: defined, algorithm: chosen, tag, alsoCover: cover } };
}

const agentProfile = 'web-bot-auth-01';

/** Reads a profile for requests. Undefined for the service's own. Throws a CommandError. */
export async function readRequestProfile(name: string, io: Io): Promise<DefinedProfile | undefined> {
  if (name === 'countersign') return undefined;
  const defined = await readMessageProfile(name, io);
  if (defined.profile.message === 'request') return defined;
  throw usageError(`${name} is a profile for responses, and this command is about requests.`);
}

/**
 * Reads a profile: one that comes with the library, or a JSON file. Throws a CommandError that lists everything that is wrong
 * with it.
 */
export async function readMessageProfile(name: string, io: Io): Promise<DefinedProfile> {
  const { defineProfile, messageProfiles } = await import('@countersign/signature/messages');
  const known = Object.values(messageProfiles);
  const found = known.find(({ id }) => id === name);
  if (found !== undefined) return defineProfile(found);
  if (!/\.json$|[/\\]/.test(name)) {
    const names = known.map(({ id }) => id);
    const meant = nearest(name, names);
    throw usageError(
      `There is no profile "${name}". ${meant === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${meant}?`} A file's name ends in .json.`,
    );
  }
  return defineFrom(name, parsed(await readTextFile(io, name, 'profile'), name), defineProfile);
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid(
      file,
      'it must hold one JSON object: countersign profiles NAME --json prints one to begin with.',
    );
  }
}

function defineFrom(
  file: string,
  value: unknown,
  defineProfile: (profile: never) => DefinedProfile,
): DefinedProfile {
  try {
    return defineProfile(value as never);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid(file, error.message);
  }
}

function invalid(file: string, why: string): CommandError {
  return new CommandError('local', 'message_profile_invalid', `${file}: ${why}`);
}

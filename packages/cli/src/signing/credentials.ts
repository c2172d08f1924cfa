import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CommandError, usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { writeNote } from '../terminal/report.ts';

/** The signer, and the base URL for paths. */
export interface Credentials {
  readonly clientId: string;
  /** The file with the private key; with a key store, the file with the key's name there. */
  readonly keyFile: string;
  /** Describes the key store that contains the private key. Undefined if the key file contains it. */
  readonly keyStoreFile: string | undefined;
  /** Without a trailing slash. Undefined if only full URLs can be called. */
  readonly baseUrl: string | undefined;
}

export const credentialOptions = {
  'client-id': {
    type: 'string',
    placeholder: 'ID',
    help: 'The client ID assigned by the service, used as the keyid.',
  },
  key: {
    type: 'string',
    placeholder: 'FILE',
    help: 'The private key: PEM or bare Base64, PKCS#8 or PKCS#1.',
  },
  'key-store': {
    type: 'string',
    placeholder: 'FILE',
    help: 'The private key is in the key store that this JSON file describes, and --key names the file with its name there.',
  },
  'passphrase-file': {
    type: 'string',
    placeholder: 'FILE',
    help: "Read the private key's passphrase from this file. Or set COUNTERSIGN_PASSPHRASE.",
  },
  profile: {
    type: 'string',
    placeholder: 'NAME',
    help: 'Use the named credentials in ~/.config/countersign/profiles.json. Or set COUNTERSIGN_PROFILE.',
  },
  credentials: {
    type: 'string',
    placeholder: 'FILE',
    help:
      'A JSON file with clientId, privateKeyFile (relative to it; or keyNameFile and keyStoreFile) and, for ' +
      'calling with paths, baseUrl.',
  },
} as const;

export const credentialNote: string =
  'Credentials: --client-id and --key override --credentials or --profile, which override the environment. ' +
  'Without any of these, the demo client that npm start creates is used, from data/demo/credentials.json.';

export interface CredentialValues {
  readonly 'client-id': string | undefined;
  readonly key: string | undefined;
  readonly 'key-store': string | undefined;
  readonly profile: string | undefined;
  readonly credentials: string | undefined;
}

/**
 * Finds the credentials. Throws a CommandError that says what is missing.
 *
 * @param isAgent true if the keyid is the key's thumbprint, and no Client ID counts
 */
export async function findCredentials(
  values: CredentialValues,
  io: Io,
  isAgent: boolean = false,
): Promise<Credentials> {
  const {
    COUNTERSIGN_CLIENT_ID: environmentClientId,
    COUNTERSIGN_PRIVATE_KEY_FILE: environmentKeyFile,
    COUNTERSIGN_BASE_URL: environmentBaseUrl,
    COUNTERSIGN_PROFILE: environmentProfile,
  } = io.environment;
  if (values.credentials !== undefined && values.profile !== undefined)
    throw usageError('--credentials and --profile both say who signs: use only one.');
  const profile =
    values.credentials === undefined ? (values.profile ?? (environmentProfile || undefined)) : undefined;
  const isNamed = [
    values['client-id'],
    values.key,
    values.credentials,
    profile,
    environmentClientId,
    environmentKeyFile,
  ].some((one) => one !== undefined && one !== '');
  const file = await readNamed(values.credentials, profile, isNamed, io);
  if (isAgent && values['client-id'] !== undefined)
    throw usageError("An agent's keyid is the thumbprint of its key: leave out --client-id.");
  const clientId = isAgent ? 'agent' : (values['client-id'] ?? file?.clientId ?? environmentClientId);
  const keyFile = values.key ?? file?.keyFile ?? environmentKeyFile;
  if (clientId === undefined || clientId === '') throw missing('No Client ID: set --client-id');
  if (keyFile === undefined || keyFile === '') throw missing('No private key: set --key FILE');
  const baseUrl =
    file?.baseUrl ??
    (environmentBaseUrl ? checkedBaseUrl(environmentBaseUrl, 'COUNTERSIGN_BASE_URL') : undefined);
  // A key that is named here is not in the file's store.
  const keyStoreFile = values['key-store'] ?? (values.key === undefined ? file?.keyStoreFile : undefined);
  return {
    clientId,
    keyFile: resolve(io.folder, keyFile),
    keyStoreFile: keyStoreFile === undefined ? undefined : resolve(io.folder, keyStoreFile),
    baseUrl,
  };
}

async function readNamed(
  credentials: string | undefined,
  profile: string | undefined,
  isNamed: boolean,
  io: Io,
): Promise<Credentials | undefined> {
  if (credentials !== undefined) return readCredentials(io, credentials);
  if (profile !== undefined) return readProfile(io, profile);
  return isNamed ? undefined : readDemoCredentials(io);
}

function missing(problem: string): CommandError {
  return new CommandError(
    'usage',
    'credentials_missing',
    `${problem}, or --credentials FILE, or COUNTERSIGN_CLIENT_ID and COUNTERSIGN_PRIVATE_KEY_FILE. ` +
      '"countersign keygen" creates a key pair. The service assigns the Client ID when you register the public key.',
  );
}

/** Reads the demo client that the service creates below this folder, if there is one. */
async function readDemoCredentials(io: Io): Promise<Credentials | undefined> {
  const path = join(io.environment['COUNTERSIGN_DATA_FOLDER'] || 'data', 'demo', 'credentials.json');
  if (!existsSync(resolve(io.folder, path))) return undefined;
  const credentials = await readCredentials(io, path);
  writeNote(io, `signing as the demo client ${credentials.clientId} (${path})`);
  return credentials;
}

async function readCredentials(io: Io, path: string): Promise<Credentials> {
  const content = parseObject(await readTextFile(io, path, 'credentials file'));
  return checkedCredentials(content, path, `The credentials file ${path}`, io);
}

/** Reads one of the profiles of this user. */
async function readProfile(io: Io, name: string): Promise<Credentials> {
  const path = profilesFile(io);
  const profiles = parseObject(await readTextFile(io, path, 'file of profiles')) ?? {};
  if (!Object.hasOwn(profiles, name)) {
    const names = Object.keys(profiles);
    throw new CommandError(
      'local',
      'profile_unknown',
      `${path} has no profile "${name}". ${names.length === 0 ? 'It must be a JSON object.' : `It has ${names.join(', ')}.`}`,
    );
  }
  const profile = profiles[name];
  const content = typeof profile === 'object' && profile !== null ? (profile as Record<string, unknown>) : {};
  return checkedCredentials(content, path, `The profile "${name}" in ${path}`, io);
}

function profilesFile({ environment }: Io): string {
  const { XDG_CONFIG_HOME: configHome, APPDATA: appData } = environment;
  return join(configHome || appData || join(homedir(), '.config'), 'countersign', 'profiles.json');
}

/** @param whose the beginning of errors, which contain nothing of the file */
function checkedCredentials(
  content: Readonly<Record<string, unknown>> | undefined,
  path: string,
  whose: string,
  io: Io,
): Credentials {
  const { clientId, privateKeyFile, keyNameFile, keyStoreFile, baseUrl } = content ?? {};
  const isStored = typeof keyStoreFile === 'string' && privateKeyFile === undefined;
  const isFiled = keyStoreFile === undefined && keyNameFile === undefined;
  const keyFile = isStored ? keyNameFile : privateKeyFile;
  const isValid = typeof clientId === 'string' && typeof keyFile === 'string' && (isStored || isFiled);
  if (!isValid || !isOptionalText(baseUrl)) {
    throw new CommandError(
      'local',
      'credentials_invalid',
      `${whose} must hold one JSON object with the texts clientId, privateKeyFile (or keyNameFile and ` +
        `keyStoreFile) and, if you like, baseUrl.`,
    );
  }
  const folder = dirname(resolve(io.folder, path));
  return {
    clientId,
    keyFile: resolve(folder, keyFile),
    keyStoreFile: isStored ? resolve(folder, keyStoreFile) : undefined,
    baseUrl: baseUrl === undefined ? undefined : checkedBaseUrl(baseUrl, `baseUrl in ${path}`),
  };
}

/** Hides the parser's own message, which quotes the file. */
function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function checkedBaseUrl(text: string, where: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw new CommandError(
      'local',
      'credentials_invalid',
      `${where} must be an http or https URL without user, query and fragment, like https://api.example.com.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/**
 * Finds the passphrase of a private key: the content of a file without its final line end, or else the environment's.
 * It is never an argument, because all users of a machine can read those.
 */
export async function findPassphrase(file: string | undefined, io: Io): Promise<string | undefined> {
  if (file === undefined) return io.environment['COUNTERSIGN_PASSPHRASE'] || undefined;
  const passphrase = (await readTextFile(io, file, 'passphrase file')).replace(/\r?\n$/, '');
  if (passphrase !== '') return passphrase;
  throw new CommandError('local', 'file', `The passphrase file ${file} is empty.`);
}

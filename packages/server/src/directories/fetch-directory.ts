import type { PublicKeyPolicy } from '@countersign/signature/node';
import { type JsonReading, readJsonInTurns } from '../request-bodies/strict-json.ts';
import { type NetworkMeans, openTcpSocket, resolveOnInternet } from './connection.ts';
import type { DirectoryContents, DirectoryKey } from './directory-key.ts';
import type { DirectoryForm, DirectoryLocation } from './directory-location.ts';
import { DirectoryFault, type DirectoryProblem, directoryProblem } from './directory-problem.ts';
import { checkDirectoryUrl, type TrustedOrigins } from './directory-url.ts';
import { fetchDocument } from './fetch-document.ts';
import { freshForMs } from './freshness.ts';
import { readActor } from './read-actor.ts';
import { type KeyLimits, type KeyReading } from './read-key.ts';
import { readKeySet } from './read-key-set.ts';

/** How directories are fetched. */
export interface FetchSettings {
  readonly trustedOrigins?: TrustedOrigins;
  readonly policy?: PublicKeyPolicy;
  /** The wall clock, in milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Replaces parts of the network in tests. */
  readonly means?: Partial<NetworkMeans>;
  /** Replaces the timer of a fetch in tests. */
  readonly deadline?: (ms: number) => AbortSignal;
}

/** One fetch. */
export interface DirectoryFetch {
  readonly limits: KeyLimits;
  /** The keys that the directory had before. */
  readonly known: readonly DirectoryKey[];
  /** Aborts when the service stops. */
  readonly closing: AbortSignal;
}

/** A directory as it was served. */
export interface Directory extends DirectoryContents {
  readonly ok: true;
  /** How long it need not be fetched again, in milliseconds: 5 minutes to 24 hours. */
  readonly freshForMs: number;
}

/**
 * Fetches a directory and examines its keys. Never rejects for anything that a server does.
 *
 * Not checked: who owns the directory, and that a response is signed with its keys. Whoever controls the URL says which keys
 * it has, so a key means something only together with the URL.
 */
export async function fetchDirectory(
  { form, url }: DirectoryLocation,
  settings: FetchSettings,
  { limits, known, closing }: DirectoryFetch,
): Promise<Directory | DirectoryProblem> {
  const directory = checkDirectoryUrl(url, settings.trustedOrigins);
  if (!directory.ok) return directory;
  const { accept, isAcceptable, membersMax, read } = forms[form];
  const document = await fetchDocument({
    directory,
    accept,
    isAcceptable,
    closing,
    means: { resolve: resolveOnInternet, openSocket: openTcpSocket, ...settings.means },
    deadline: settings.deadline ?? ((ms) => AbortSignal.timeout(ms)),
  });
  if (!document.ok) return document;
  const json = await readJsonInTurns(document.body, membersMax);
  if (!json.ok) return directoryProblem('json_invalid', jsonMessage(json));
  try {
    const reading = { nowMs: settings.nowMs(), policy: settings.policy ?? {}, limits, known };
    const contents = await read(json.value, url, reading);
    return { ok: true, ...contents, freshForMs: freshForMs(document.cacheControl) };
  } catch (error) {
    if (error instanceof DirectoryFault) return error.problem;
    throw error;
  }
}

interface Form {
  readonly accept: string;
  readonly isAcceptable: (contentType: string) => boolean;
  /** The most members and items in a document. */
  readonly membersMax: number;
  readonly read: (document: unknown, url: string, reading: KeyReading) => Promise<DirectoryContents>;
}

const forms: Readonly<Record<DirectoryForm, Form>> = {
  'key-set': {
    accept:
      'application/http-message-signatures-directory+json, application/jwk-set+json;q=0.9, application/json;q=0.8',
    isAcceptable: (contentType) =>
      /^application\/(?:http-message-signatures-directory\+json|jwk-set\+json|json)[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i.test(
        contentType,
      ),
    membersMax: 5000,
    read: (document, _url, reading) => readKeySet(document, reading),
  },
  actor: {
    accept:
      'application/activity+json, application/ld+json;profile="https://www.w3.org/ns/activitystreams";q=0.9',
    // ActivityPub section 3.2. Not application/json: many servers serve their users' uploads with it.
    isAcceptable: (contentType) =>
      /^application\/activity\+json[ \t]*(?:;[^,]{0,200})?$/i.test(contentType) ||
      /^application\/ld\+json[ \t]*;[ \t]*profile="https:\/\/www\.w3\.org\/ns\/activitystreams"[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i.test(
        contentType,
      ),
    membersMax: 5000,
    read: readActor,
  },
};

/** The pointer has names from the document in it, so it is only shown if it is plain. */
function jsonMessage({ fault }: Extract<JsonReading, { readonly ok: false }>): string {
  const rules =
    'The document is not strict JSON: UTF-8, each field once, whole numbers only, at most 16 levels.';
  return /^[\x21-\x7e]{1,100}$/.test(fault.pointer) ? `${rules} See ${fault.pointer}.` : rules;
}

import type { AsyncReplayGuard, ReplayGuard, UsedSignature } from '../replay/replay-guard.ts';
import {
  bytesOf,
  type BytesLike,
  checkNumber,
  checkObject,
  checkOptionalFunction,
  checkText,
  checkWord,
  wrongType,
} from '../arguments/check-argument.ts';
import { checksOf, walk } from './checks.ts';
import { andThen, type Awaitable, Examination, type Means, type SignatureRules } from './examination.ts';
import type { NoncePolicy } from './profile.ts';
import { type ProfileId, profileOf, profiles, profileTimeWindow } from './profiles.ts';
import { readGuardAnswer, type Refusal } from './refusal.ts';
import type { HeaderLines } from '../rfc9421/header-lines.ts';
import { readSignatureHeaders } from './request-headers.ts';
import { checkTimeWindow, systemSeconds, type TimeWindow } from './time-window.ts';

/** A request as received. Nothing in it is changed or kept. */
export interface ReceivedRequest {
  /** As received; methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string;
  /** The full URL as called: configured origin and raw request target, as text, never rebuilt by a URL parser. */
  readonly targetUri: string;
  readonly headers: HeaderLines;
  /**
   * The bytes as received, before any decoding. Empty, undefined or null if there was no body. Not a text, a
   * parsed object, a stream or a Blob: their content may differ from the received bytes, or may not have
   * arrived yet.
   */
  readonly body: BytesLike | null | undefined;
}

/** A client in the verifier's registry. `Key` is the platform's type of public key. */
export interface VerifyingClient<Key> {
  /** The keys that may be used now; each is tried. */
  readonly keys: readonly Key[];
  /** The profile of its signatures. Defaults to `countersign`. */
  readonly profile?: ProfileId;
  /** The earlier way to say `profile: 'countersign-without-date'`. Ignored next to `profile`. */
  readonly acceptWithoutDate?: boolean;
}

/** Settings that both verifiers share. */
export interface VerificationSettings {
  /** The verifier's clock in Unix seconds. Defaults to the system's. */
  readonly nowSeconds?: () => number;
  readonly window?: TimeWindow;
  readonly nonce?: NoncePolicy;
}

/** A request that passed every check that a library can make. */
export interface Verified<Client> {
  readonly ok: true;
  readonly keyid: string;
  readonly client: Client;
  /** The index in `client.keys` of the key that verified. */
  readonly keyIndex: number;
  /** Unix seconds. */
  readonly created: number;
  /** `created` minus the verifier's clock. */
  readonly clockDifferenceSeconds: number;
  readonly nonce: string | undefined;
}

/** The result of a verification: ok, or a code with its reason. */
export type Verification<Client> = Verified<Client> | Refusal;

/** Functions and settings that the application supplies. */
export interface Application<Client> extends VerificationSettings {
  readonly clientByKeyid: (keyid: string) => Awaitable<Client | undefined>;
  readonly guard: ReplayGuard | AsyncReplayGuard;
}

/** A runtime's cryptography. */
export interface Platform<Key> {
  /** Returns the index of the key of the announced algorithm that verifies, or -1; tries decoys instead of missing keys. */
  readonly findVerifyingKey: (keys: readonly Key[], examination: Examination) => Awaitable<number>;
  readonly contentDigest: (body: Uint8Array) => Awaitable<string>;
  readonly usedSignature: (examination: Examination) => Awaitable<UsedSignature>;
}

const libraryChecks = checksOf('target', 'head', 'body', 'replay');

/**
 * Runs all checks on a received request. Reads everything from it before the first await, except for the body's bytes.
 *
 * @throws TypeError, which names the argument, if one has a wrong type
 */
export function verify<Key, Client extends VerifyingClient<Key>>(
  request: ReceivedRequest,
  application: Application<Client>,
  platform: Platform<Key>,
): Awaitable<Verification<Client>> {
  checkArguments(request, application);
  const body = bytesOf(request.body, 'body') ?? noBytes;
  const nowSeconds = (application.nowSeconds ?? systemSeconds)();
  checkNumber(nowSeconds, 'The result of nowSeconds');
  const examination = new Examination<Client>(
    {
      method: request.method,
      targetUri: request.targetUri,
      headers: readSignatureHeaders(request.headers),
      hasBody: body.length > 0,
      nowSeconds,
    },
    rulesFrom(application),
  );
  examination.body = body;
  const refusal = walk(libraryChecks, examination, new LibraryMeans(application, platform));
  return andThen(refusal, (first) => first ?? verified(examination));
}

function checkArguments(request: ReceivedRequest, application: Application<unknown>): void {
  checkObject(request, 'The request');
  checkText(request.method, 'method');
  checkText(request.targetUri, 'targetUri');
  checkObject(application, 'options');
  if (typeof application.clientByKeyid !== 'function')
    throw wrongType('clientByKeyid', application.clientByKeyid, 'a function');
  if (typeof application.guard?.use !== 'function')
    throw wrongType('guard', application.guard, 'a replay guard, with a function `use`');
  checkOptionalFunction(application.nowSeconds, 'nowSeconds');
}

/**
 * Calls the application and the platform. A class, because closures per request would cost a measurable part
 * of a verification.
 */
class LibraryMeans<Key, Client extends VerifyingClient<Key>> implements Means<Client> {
  readonly #application: Application<Client>;
  readonly #platform: Platform<Key>;

  constructor(application: Application<Client>, platform: Platform<Key>) {
    this.#application = application;
    this.#platform = platform;
  }

  findClient(keyid: string): Awaitable<Client | undefined> {
    return andThen(this.#application.clientByKeyid(keyid), readClient);
  }

  findVerifyingKey(client: Client | undefined, examination: Examination): Awaitable<number> {
    return this.#platform.findVerifyingKey(client?.keys ?? [], examination);
  }

  profileOf(client: Client): ProfileId {
    return profileOf(client);
  }

  contentDigest(body: Uint8Array): Awaitable<string> {
    return this.#platform.contentDigest(body);
  }

  useSignature(examination: Examination<Client>): Awaitable<Refusal | undefined> {
    const used = this.#platform.usedSignature(examination);
    return andThen(used, (signature) => this.#use(signature, examination.nowSeconds));
  }

  #use(signature: UsedSignature, nowSeconds: number): Awaitable<Refusal | undefined> {
    return andThen(this.#application.guard.use(signature, nowSeconds), readGuardAnswer);
  }
}

function readClient<Client extends VerifyingClient<unknown>>(client: Client | undefined): Client | undefined {
  if (client === undefined || client === null) return undefined;
  checkObject(client, 'The result of clientByKeyid');
  if (!Array.isArray(client.keys)) throw wrongType('keys of the client', client.keys, 'an array');
  if (client.profile !== undefined) checkWord(client.profile, 'profile of the client', Object.keys(profiles));
  for (const key of client.keys as readonly unknown[]) {
    if (typeof key !== 'object' || key === null || !('greatestSignature' in key))
      throw wrongType('A key of the client', key, 'a verification key: createVerificationKey makes one');
  }
  return client;
}

function verified<Client>({
  keyid,
  client,
  keyIndex,
  created,
  nonce,
  nowSeconds,
}: Examination<Client>): Verified<Client> {
  const clockDifferenceSeconds = created - nowSeconds;
  return { ok: true, keyid, client: client!, keyIndex, created, nonce, clockDifferenceSeconds };
}

/**
 * Fills in missing settings with the profile's values.
 *
 * @throws TypeError, which names the setting, if one cannot be used
 */
export function rulesFrom(settings: Pick<VerificationSettings, 'window' | 'nonce'>): SignatureRules {
  const { window = profileTimeWindow, nonce = 'off' } = settings;
  if (window !== profileTimeWindow) checkTimeWindow(window);
  if (nonce !== 'off') checkWord(nonce, 'nonce', ['off', 'optional', 'required']);
  return { window, nonce };
}

const noBytes = new Uint8Array(0);

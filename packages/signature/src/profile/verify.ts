import type { AsyncReplayGuard, ReplayGuard, UsedSignature } from '../replay/replay-guard.ts';
import { checksOf, walk } from './checks.ts';
import { type Awaitable, Examination, isPromise, type Means, type SignatureRules } from './examination.ts';
import { type NoncePolicy, profileTimeWindow, type TimeWindow } from './profile.ts';
import type { Refusal } from './refusal.ts';
import { type HeaderLines, readSignatureHeaders } from './request-headers.ts';

/** A request as received. Nothing in it is changed or kept. */
export interface ReceivedRequest {
  /** As received; methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string;
  /** The full URL as called: configured origin and raw request target, as text, never rebuilt by a URL parser. */
  readonly targetUri: string;
  readonly headers: HeaderLines;
  /** The bytes as received, before any decoding. Empty or undefined if there was no body. */
  readonly body: Uint8Array | undefined;
}

/** A client in the verifier's registry. `Key` is the platform's type of public key. */
export interface VerifyingClient<Key> {
  /** The keys that may be used now; each is tried. */
  readonly keys: readonly Key[];
  /** Also accepts signatures without `date`. For earlier signers only. */
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
  /** Returns the index of the key that verifies, or -1; tries a decoy if no key has the signature's size. */
  readonly findVerifyingKey: (
    keys: readonly Key[],
    base: string,
    signature: Uint8Array<ArrayBuffer>,
  ) => Awaitable<number>;
  readonly contentDigest: (body: Uint8Array) => Awaitable<string>;
  readonly usedSignature: (examination: Examination) => Awaitable<UsedSignature>;
}

const libraryChecks = checksOf('target', 'head', 'body', 'replay');

/** Runs all checks on a received request. Reads everything from it before the first await. */
export function verify<Key, Client extends VerifyingClient<Key>>(
  request: ReceivedRequest,
  application: Application<Client>,
  platform: Platform<Key>,
): Awaitable<Verification<Client>> {
  const body = request.body ?? noBytes;
  const examination = new Examination<Client>(
    {
      method: request.method,
      targetUri: request.targetUri,
      headers: readSignatureHeaders(request.headers),
      hasBody: body.length > 0,
      nowSeconds: (application.nowSeconds ?? systemSeconds)(),
    },
    rulesFrom(application),
  );
  examination.body = body;
  const refusal = walk(libraryChecks, examination, new LibraryMeans(application, platform));
  return isPromise(refusal)
    ? refusal.then((first) => first ?? verified(examination))
    : (refusal ?? verified(examination));
}

/** Asks application and platform. A class, because closures per request would cost a measurable part of a verification. */
class LibraryMeans<Key, Client extends VerifyingClient<Key>> implements Means<Client> {
  readonly #application: Application<Client>;
  readonly #platform: Platform<Key>;

  constructor(application: Application<Client>, platform: Platform<Key>) {
    this.#application = application;
    this.#platform = platform;
  }

  findClient(keyid: string): Awaitable<Client | undefined> {
    return this.#application.clientByKeyid(keyid);
  }

  findVerifyingKey(
    client: Client | undefined,
    base: string,
    signature: Uint8Array<ArrayBuffer>,
  ): Awaitable<number> {
    return this.#platform.findVerifyingKey(client?.keys ?? [], base, signature);
  }

  acceptsWithoutDate(client: Client): boolean {
    return client.acceptWithoutDate ?? false;
  }

  contentDigest(body: Uint8Array): Awaitable<string> {
    return this.#platform.contentDigest(body);
  }

  useSignature(examination: Examination<Client>): Awaitable<Refusal | undefined> {
    const { guard } = this.#application;
    const used = this.#platform.usedSignature(examination);
    return isPromise(used)
      ? used.then((signature) => guard.use(signature, examination.nowSeconds))
      : guard.use(used, examination.nowSeconds);
  }
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

/** Fills in missing settings with the profile's values. */
export function rulesFrom(settings: VerificationSettings): SignatureRules {
  return { window: settings.window ?? profileTimeWindow, nonce: settings.nonce ?? 'off' };
}

function systemSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

const noBytes = new Uint8Array(0);

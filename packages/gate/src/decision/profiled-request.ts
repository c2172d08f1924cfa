import {
  algorithmNamed,
  formatContentDigest,
  isKeyAlgorithm,
  type KeyAlgorithm,
  keyAlgorithmNames,
  keyAlgorithms,
} from '@countersign/signature/rfc9421';
import {
  acceptMessageSignature,
  type DefinedProfile,
  digestsByProfile,
  type DigestToCompare,
  type MessageRefusal,
  openParts,
  problemByProfile,
  readRequestSignature,
  type RequestSignature,
} from '@countersign/signature/messages/request';
import {
  contentDigest,
  findVerifyingKey,
  isSafeToRepeat,
  replayId,
  signatureBaseLengthMax,
} from '@countersign/signature/node';
import {
  type Awaitable,
  checkCreated,
  type Examination,
  isProfileId,
  type Refusal,
  refuse,
} from '@countersign/signature/profile';
import { hash } from 'node:crypto';
import type { ProfiledIdentity } from '../proxy/forwarded-headers.ts';
import type { RegisteredClient, UsableKey } from '../registry.ts';
import type { Attempt, DecisionMeans } from './decide.ts';
import { offersClosed } from './offered-profiles.ts';
import { checkDirectory, coveredDirectory } from './signature-agent.ts';
import { checkProfile, checkStanding } from './standing.ts';

/** The profiles that clients may have besides the closed one, by their names. */
export type OtherProfiles = ReadonlyMap<string, DefinedProfile>;

/** What the decision about a request by another profile uses. */
export interface ProfiledMeans extends DecisionMeans {
  readonly otherProfiles: OtherProfiles;
}

/**
 * The decision about a request that is not one of the closed profile. What is checked before the key is the same for every
 * client, known or not; the client's own profile is checked once its key has signed, as are its state, its network and its
 * permissions. The service's own window applies beside the profile's, because the replay guard remembers no longer.
 */
export class ProfiledRequest {
  readonly #attempt: Attempt;
  readonly #examination: Examination<RegisteredClient>;
  readonly #means: ProfiledMeans;
  #signature!: RequestSignature;
  #profile: DefinedProfile | undefined;
  #keys: readonly UsableKey[] = [];
  /** Those that the body must have; none if it is not covered. */
  #digests: readonly DigestToCompare[] = [];

  constructor(attempt: Attempt, examination: Examination<RegisteredClient>, means: ProfiledMeans) {
    this.#attempt = attempt;
    this.#examination = examination;
    this.#means = means;
  }

  /** The key that verified; undefined until one has. */
  get key(): UsableKey | undefined {
    return this.#examination.client && this.#keys[this.#examination.keyIndex];
  }

  /** The `Accept-Signature` of the client's profile, once its key is proved. */
  get wanted(): string | undefined {
    if (this.#profile === undefined) return undefined;
    const { method, targetUri, rawHeaders: headers = [], hasBody = true } = this.#attempt;
    const body = hasBody ? someBody : null;
    return acceptMessageSignature(this.#profile, { method, targetUri, headers, body });
  }

  /** Returns false for a client of the closed profile, and before its key is proved, for a request of that profile's shape. */
  get isOther(): boolean {
    const { client } = this.#examination;
    return client === undefined ? !looksClosed(this.#attempt) : !isProfileId(client.profile);
  }

  /** What upstreams learn about it; undefined until its profile is known. */
  get identity(): ProfiledIdentity | undefined {
    if (this.#profile === undefined) return undefined;
    const texts = this.#signature.covered.map(({ identifier }) => identifier.text);
    return {
      profile: this.#profile.profile.id,
      covered: texts.join(' '),
      components: texts.map((text) => text.replace(/^"([^"]*)"/, '$1')),
    };
  }

  /**
   * Everything that needs only the headers.
   *
   * @param byClosed what the closed profile found, which is what a client that has it learns; undefined for nothing
   */
  head(byClosed: Refusal | undefined): Refusal | undefined {
    const refusal = this.#read() ?? this.#prove();
    if (refusal !== undefined) {
      // Only this code has a client waited for that is not loaded yet.
      const mayBeUnread =
        refusal.code === 'signature_invalid' && this.#means.registry.isReading?.(this.#examination.keyid);
      return looksClosed(this.#attempt) && mayBeUnread !== true ? (byClosed ?? refusal) : refusal;
    }
    const client = this.#examination.client!;
    if (isProfileId(client.profile)) return checkProfile(client, this.#attempt) ?? byClosed;
    return this.#checkProfile(client) ?? checkStanding(client, this.#attempt);
  }

  #read(): Refusal | undefined {
    const { method, targetUri, rawHeaders } = this.#attempt;
    const headers = rawHeaders ?? [];
    const read = readRequestSignature({ method, targetUri, headers }, [
      ...this.#means.otherProfiles.values(),
    ]);
    if ('ok' in read) return refusalOf(read);
    this.#signature = read;
    const examination = this.#examination;
    examination.keyid = read.keyid;
    examination.created = read.created;
    examination.nonce = read.nonce;
    examination.alg = read.alg ?? '';
    examination.signature = read.signature;
    examination.base = read.base;
    if (read.alg !== undefined && !isAnnounced(read.alg))
      return refuse('algorithm_not_allowed', 'this service has no keys of the announced algorithm');
    if (read.base.length > signatureBaseLengthMax)
      return refuse(
        'components_invalid',
        `the signature base has ${read.base.length} characters, more than ${signatureBaseLengthMax}: cover fewer or shorter fields`,
      );
    const hidden = coveredAndHidden(read, headers);
    if (hidden !== undefined)
      return refuse('request_malformed', `Connection must not name the covered field ${hidden}`);
    return checkCreated(examination);
  }

  /**
   * Tries the client's keys of the announced algorithm; without one, of each that has signatures of this length. The work depends
   * on the announced algorithm and the length alone.
   */
  #prove(): Refusal | undefined {
    const { registry, signatureBytesMax } = this.#means;
    const { keyid, alg, signature } = this.#examination;
    const named = registry.clientById(keyid);
    const client = registry.clientByKeyName?.(keyid, coveredDirectory(this.#signature)) ?? named;
    const standIn = registry.standIn?.(keyid)?.keys ?? [];
    const keys = client?.keys ?? [];
    const tried = client?.keys ?? standIn;
    let found = -1;
    // Each is tried, whatever the one before said: which of them the client has must not show.
    for (const algorithm of alg === '' ? algorithmsIn(this.#means.otherProfiles) : [alg]) {
      const signed = { keyid, alg: algorithm, base: this.#examination.base, signature };
      const index = findVerifyingKey(keys, signed, signatureBytesMax, tried);
      if (index >= 0) found = index;
    }
    if (client === undefined) return refuse('signature_invalid', 'no client and no key has this keyid');
    if (found < 0)
      return refuse('signature_invalid', 'the signature does not match any working key of this client');
    this.#keys = keys;
    this.#examination.client = client;
    this.#examination.keyIndex = found;
    return undefined;
  }

  #checkProfile(client: RegisteredClient): Refusal | undefined {
    const profile = this.#means.otherProfiles.get(client.profile);
    if (profile === undefined) return notAccepted(client);
    // How it was followed does not matter where it is not accepted, and must not be asked for.
    const elsewhere = checkProfile(client, this.#attempt);
    if (elsewhere !== undefined) return elsewhere;
    this.#profile = profile;
    const { hasBody, nowSeconds } = this.#attempt;
    const problem = problemByProfile(this.#signature, profile, nowSeconds, hasBody);
    if (problem?.code === 'signature_not_selected') {
      const reason = `this client is registered for the profile ${client.profile}, and ${problem.reason}`;
      return refusalOf({ ...problem, reason });
    }
    if (problem !== undefined) return refusalOf(problem);
    const notFromThere = checkDirectory(client, this.#signature, profile);
    if (notFromThere !== undefined) return notFromThere;
    const { algorithm } = this.key!;
    if (!profile.profile.algorithms.includes(algorithm))
      return refuse('algorithm_not_allowed', `the profile of this client does not sign with ${algorithm}`);
    const open = this.#openPart();
    if (open !== undefined) return open;
    const digests = digestsByProfile(this.#signature, profile);
    if ('ok' in digests) return refusalOf(digests);
    this.#digests = digests;
    // For a proxy that keeps the body and lets the upstream compare it, which it does by SHA-256.
    const signed = digests.find(({ algorithm: name, isSigned }) => isSigned && name === 'sha-256');
    this.#examination.contentDigest = signed && formatContentDigest(signed.digest);
    return undefined;
  }

  /** Rejects a signature that leaves open what it must bind here, whatever its profile allows. */
  #openPart(): Refusal | undefined {
    if (this.#attempt.mustBindAll !== true) return undefined;
    const { targetUri, hasBody = false } = this.#attempt;
    const missing = openParts(this.#signature.covered, { targetUri, hasBody });
    if (missing.length === 0) return undefined;
    return refuse(
      'components_invalid',
      `this API requires that the signature covers ${missing.join(', ')}, too`,
    );
  }

  /** The body is the signed one, as far as it is signed. */
  body(body: Examination['body']): Refusal | undefined {
    const examination = this.#examination;
    const { hasBody, nowSeconds } = this.#attempt;
    const hasBytes = body.length > 0;
    if (this.#attempt.mustBindAll === true && hasBytes && !this.#signature.coversBody)
      return refuse('digest_missing', 'there is a body, but Content-Digest is not covered');
    // What covers a body is required by whether there is one, which a chunked one shows only now.
    const problem =
      hasBody === hasBytes
        ? undefined
        : problemByProfile(this.#signature, this.#profile!, nowSeconds, hasBytes);
    if (problem !== undefined) return refusalOf(problem);
    let isCompared = this.#digests.length === 0;
    for (const { algorithm, digest, isSigned } of this.#digests) {
      const actual = digestOf(algorithm, body);
      if (actual === undefined) continue;
      if (!actual.equals(digest))
        return refuse(
          'digest_mismatch',
          `Content-Digest is not the ${algorithm} of the ${body.length} bytes received`,
        );
      isCompared ||= isSigned;
    }
    if (!isCompared) return refuse('digest_malformed', 'a body of this size needs a signed sha-256 digest');
    examination.contentDigest = hasBytes ? sha256Field(body) : undefined;
    return undefined;
  }

  /** The signature, or its nonce, is used for the first time. */
  replay(): Awaitable<Refusal | undefined> {
    const { client, created, base, nonce, nowSeconds } = this.#examination;
    const { clientId, accountId } = client!;
    const { replay } = this.#profile!.profile;
    const isByNonce = nonce !== undefined && replay !== 'base' && replay !== 'off';
    const part = isByNonce ? `nonce ${nonce}` : base;
    return this.#means.guard.use(
      {
        id: replayId(clientId, part),
        keyid: clientId,
        accountId,
        created,
        isSafe: !isByNonce && this.#isSafe(),
      },
      nowSeconds,
    );
  }

  /**
   * Two honest equal reads of one second have one signature, if it says that they are equal, and that they read. One with a
   * body that it leaves open does not: the second could have another.
   */
  #isSafe(): boolean {
    const { method, headers, hasBody } = this.#attempt;
    const { binds } = this.#profile!;
    const isWhole = (['method', 'authority', 'path', 'query'] as const).every((part) => binds.includes(part));
    const isBodyBound = this.#signature.coversBody || hasBody === false;
    return isWhole && isBodyBound && isSafeToRepeat(method, headers.asksToSwitch);
  }
}

/** Returns true for an algorithm that `alg` can announce, and keys can be registered for. */
function isAnnounced(alg: string): boolean {
  return isKeyAlgorithm(alg) && keyAlgorithms[alg].isRegistered;
}

/** Returns the algorithms of keys that some client here can have: those of the closed profiles, and those of the others. */
function algorithmsIn(otherProfiles: OtherProfiles): readonly KeyAlgorithm[] {
  const accepted = [...otherProfiles.values()];
  return keyAlgorithmNames.filter(
    (name) =>
      algorithmNamed(name) !== undefined ||
      accepted.some(({ profile: { algorithms } }) => algorithms.includes(name)),
  );
}

/** Stands for a body whose bytes do not matter. */
const someBody = new Uint8Array(1);

/** The rejection of a client whose profile this service no longer accepts, once its key is proved. */
export function notAccepted({ profile }: RegisteredClient): Refusal {
  return refuse(
    'profile_not_accepted',
    `this client is registered for the profile ${profile}, which this service does not accept`,
  );
}

/** Returns true if a request can only be meant for the closed profile, so that its findings say more. Never where that is not accepted. */
function looksClosed(attempt: Attempt): boolean {
  if (!offersClosed(attempt)) return false;
  const { signatureInput, signature } = attempt.headers;
  if (signatureInput.count === 0 || signature.count === 0) return true;
  if (signatureInput.count > 1 || signature.count > 1) return false;
  return signatureInput.value.startsWith('sig=') && !signatureInput.value.includes(';tag=');
}

/** Returns the covered field that `Connection` names: an intermediary would remove it. */
function coveredAndHidden({ covered }: RequestSignature, rawHeaders: readonly string[]): string | undefined {
  const named = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== 'connection') continue;
    for (const option of rawHeaders[index + 1]!.split(',')) named.add(option.trim().toLowerCase());
  }
  return covered.find(({ identifier }) => named.has(identifier.name))?.identifier.name;
}

/** Returns a body's digest; undefined if its bytes are elsewhere and were hashed by another algorithm. */
function digestOf(algorithm: 'sha-256' | 'sha-512', body: Examination['body']): Buffer | undefined {
  if (!('contentDigest' in body)) return hash(algorithm.replace('-', ''), body, 'buffer');
  return algorithm === 'sha-256' ? Buffer.from(body.contentDigest.slice(9, -1), 'base64') : undefined;
}

function sha256Field(body: Examination['body']): string {
  return 'contentDigest' in body ? body.contentDigest : contentDigest(body);
}

function refusalOf({ code, reason }: MessageRefusal): Refusal {
  return refuse(code === 'message_malformed' ? 'request_malformed' : code, reason);
}

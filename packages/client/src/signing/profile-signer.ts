import { decodeBase64, profileLimits, SigningError } from '@countersign/signature';
import {
  ComponentError,
  type ComponentIdentifier,
  type DefinedProfile,
  type MessageAlgorithm,
  MessageSigningError,
  type ProfiledSignature,
  type ProfiledSignatureLines,
  readComponentIdentifier,
  type RequestMessage,
  signMessage,
} from '@countersign/signature/messages';
import { bytesOf } from '@countersign/signature/profile';
import { algorithmNamed, algorithms } from '@countersign/signature/rfc9421';
import { coveredHeaders } from './covered-headers.ts';
import { findProfile } from './find-profile.ts';
import { type KnownKey, knownKey, wantedKey } from './profile-key.ts';
import type { ProfileMeans, ProfileSettings, ProfileSign, ProfileSigner } from './profile-settings.ts';
import type { SignerRequest } from './request-signer.ts';
import { unusedSecond } from './unused-second.ts';

/**
 * Signs requests by a profile: covers what it requires, with the parameters that it has. Each signature has a nonce or, where the
 * profile has none, a second in which the same was not signed.
 *
 * @throws SigningError for a profile that no request can be signed by
 */
export function createProfileSigner(
  settings: ProfileSettings,
  means: ProfileMeans,
  nowMs: () => number,
): ProfileSigner {
  const defined = findProfile(settings.profile);
  const alsoCover = readAlsoCover(settings.alsoCover);
  const wanted = wantedKey(settings, defined.profile.algorithms);
  let known: KnownKey | undefined;
  const currentKey = async (): Promise<KnownKey> =>
    (known ??= await knownKey(settings, wanted, means.profileKey, defined.profile.id));
  return {
    ready: async () => void (await currentKey()),
    async sign(request) {
      const prepared = prepare(request, settings, defined, alsoCover);
      // The key may be replaced at any time: the second try is with the new one.
      for (let tries = 0; tries < 2; tries++) {
        const key = await currentKey();
        const signAt: SignAt = (created, sign) =>
          signMessage(prepared.message, {
            profile: defined,
            ...parametersAt(created, key, settings, defined),
            key: { algorithm: key.algorithm, sign },
            others: prepared.others,
          });
        const created = await timeFor(signAt, key.algorithm, defined, means, nowMs).catch(
          throwAsSigningError,
        );
        const signed = await signAt(created, key.sign).catch(async (error: unknown) => {
          known = undefined;
          if (tries === 0 && isAnother(await currentKey(), key)) return undefined;
          return throwAsSigningError(error);
        });
        if (signed === undefined) continue;
        const headers = { ...prepared.headers, ...signed.headers };
        if (await isBy(key, signed)) return { ...prepared.request, ...signed, headers, created };
        known = undefined;
      }
      throw new SigningError('signing_failed', 'The signature is not by the public key that the key has.');
    },
  };
}

interface Signed {
  readonly headers: ProfiledSignatureLines;
  readonly signatureBase: string;
}

type SignAt = (created: number, sign: ProfileSign) => Promise<Signed>;

/** @throws SigningError `request_invalid` */
function readAlsoCover(texts: readonly string[]): readonly ComponentIdentifier[] {
  try {
    return texts.map((text) => readComponentIdentifier(text));
  } catch (error) {
    if (!(error instanceof ComponentError)) throw error;
    throw new SigningError('request_invalid', `alsoCover names no component: ${error.message}.`);
  }
}

/** A request in the form that is signed. */
interface PreparedRequest {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly body: Uint8Array<ArrayBuffer> | undefined;
  };
  /** The header lines to send, apart from the signature's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly message: RequestMessage;
  readonly others: readonly string[];
}

function prepare(
  { method: given, url: target, body: content, header }: SignerRequest,
  { ownHeaders }: ProfileSettings,
  defined: DefinedProfile,
  alsoCover: readonly ComponentIdentifier[],
): PreparedRequest {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : bytesOf(content, 'body');
  const method = given.toUpperCase();
  const url = typeof target === 'string' ? target : target.href;
  if (url.length > profileLimits.targetUriLengthMax)
    throw new SigningError('request_invalid', 'The URL is too long.');
  const hasBody = body !== undefined && body.byteLength > 0;
  const headerOf = (name: string): string | null | undefined =>
    ownHeaders.find(([own]) => own.toLowerCase() === name)?.[1] ?? header?.(name);
  const others = alsoCover.filter(({ name }) => hasBody || name !== 'content-digest');
  const lines = coveredHeaders(defined, others, { method, hasBody, header: headerOf });
  const readsDigest = [...defined.rules.flatMap(({ identifiers }) => identifiers), ...alsoCover].some(
    ({ name }) => name === 'content-digest',
  );
  const digest = readsDigest ? undefined : header?.('content-digest');
  return {
    request: { method, url, body },
    // Adapters take away the caller's digest, because most profiles have their own.
    headers: { ...Object.fromEntries(ownHeaders), ...(digest && { 'Content-Digest': digest }) },
    message: { method, targetUri: url, headers: lines, body },
    others: others.map(({ text }) => text),
  };
}

/** The time from `created` to `expires`. */
const lifeSecondsMax = 300;

/** A signature expires soon where the profile says so, or would never expire otherwise. */
function parametersAt(
  created: number,
  { keyid, algorithm }: KnownKey,
  { tag }: ProfileSettings,
  { profile: { parameters, time } }: DefinedProfile,
): Partial<ProfiledSignature> {
  const expires =
    parameters.expires === 'required' || (parameters.expires === 'allowed' && time.neverExpires === true);
  return {
    ...(parameters.created && { created }),
    ...(expires && { expires: created + Math.min(lifeSecondsMax, time.maxLifeSeconds ?? lifeSecondsMax) }),
    ...(parameters.keyid && { keyid }),
    // PS256 has no registered name.
    ...(parameters.alg && algorithm !== 'PS256' && { alg: true }),
    ...(tag !== undefined && { tag }),
  };
}

/** Returns the time of a signature: without a nonce, a second of its own. */
async function timeFor(
  signAt: SignAt,
  algorithm: MessageAlgorithm,
  { profile: { parameters, time } }: DefinedProfile,
  means: ProfileMeans,
  nowMs: () => number,
): Promise<number> {
  if (parameters.nonce || !parameters.created) return Math.floor(nowMs() / 1000);
  // A signature of zeros at the time 0 tells what the real one would say.
  const { signatureBase } = await signAt(0, () => new Uint8Array(signatureLength(algorithm)));
  // Half of what a verifier allows.
  const aheadSecondsMax = Math.min(30, Math.floor((time.maxFutureSeconds ?? 0) / 2));
  return unusedSecond(signatureBase, aheadSecondsMax, means, nowMs);
}

/** The shortest, in bytes. Those of RSASSA-PSS are as long as the others of RSA. */
function signatureLength(algorithm: MessageAlgorithm): number {
  return (algorithmNamed(algorithm) ?? algorithms['rsa-v1_5-sha256']).signatureBytes.min;
}

function isAnother(now: KnownKey, before: KnownKey): boolean {
  return (
    now.keyid !== before.keyid ||
    now.algorithm !== before.algorithm ||
    now.verifying?.id !== before.verifying?.id
  );
}

function throwAsSigningError(error: unknown): never {
  throw error instanceof MessageSigningError ? new SigningError('request_invalid', error.message) : error;
}

async function isBy({ verifying }: KnownKey, { headers, signatureBase }: Signed): Promise<boolean> {
  if (verifying === undefined) return true;
  const signature = decodeBase64(headers.Signature.slice(headers.Signature.indexOf('=:') + 2, -1))!;
  return verifying.verifies(
    Uint8Array.from(signatureBase, (letter) => letter.charCodeAt(0)),
    signature,
  );
}

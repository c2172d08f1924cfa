import { checkObject, wrongType } from '../arguments/check-argument.ts';
import { encodeBase64 } from '../rfc9421/base64.ts';
import {
  type ComponentIdentifier,
  isBodyDigest,
  readComponentIdentifier,
} from '../rfc9421/component-identifier.ts';
import type { HttpMessage, Message } from '../rfc9421/message.ts';
import type { SignatureParameters } from '../rfc9421/signature-members.ts';
import type { MessageSigningKey } from './algorithms.ts';
import { rulesFor, satisfies } from './covered-rules.ts';
import {
  asSigningError,
  checkSigningKey,
  MessageSigningError,
  type SignatureLines,
  signRead,
  wellFormed,
} from './create-signature.ts';
import { checkDefined, type DefinedProfile, type DefinedRule } from './define-profile.ts';
import { systemSeconds } from '../profile/time-window.ts';
import type { MessagePlatform } from './platform.ts';
import { problemOfSigned } from './verify-message.ts';

/** Signs by a profile. */
export interface ProfiledSignature {
  readonly profile: DefinedProfile;
  readonly key: MessageSigningKey;
  readonly keyid?: string;
  /** Defaults to the profile's, or to `sig`. */
  readonly label?: string;
  /** One of the profile's. Defaults to its first, if it requires one. */
  readonly tag?: string;
  /** Unix seconds. Defaults to the system's clock. */
  readonly created?: number;
  /** Unix seconds. Defaults to the profile's limits after `created`, at most five minutes, if the profile requires it. */
  readonly expires?: number;
  /** Defaults to 256 random bits, if the profile has a nonce. */
  readonly nonce?: string;
  /** Announces the algorithm, where the profile leaves that open. */
  readonly alg?: boolean;
  /** Components to cover in addition, where the profile permits it; required ones among them are in this order too. */
  readonly others?: readonly string[];
}

/** Header lines to add, with the digest if the message had none. */
export interface ProfiledSignatureLines extends SignatureLines {
  readonly 'Content-Digest'?: string;
}

/** Signs a message by a profile with a runtime's digests. */
export async function signMessageOn(
  platform: MessagePlatform,
  httpMessage: HttpMessage,
  given: ProfiledSignature,
): Promise<{ readonly headers: ProfiledSignatureLines; readonly signatureBase: string }> {
  checkObject(given, 'options');
  // The caller may change its objects during an await.
  const request = { ...given, others: checkedOthers(given.others) };
  const { profile: defined, key } = request;
  checkDefined(defined);
  const { profile } = defined;
  checkSigningKey(key);
  if (!profile.algorithms.includes(key.algorithm))
    throw new MessageSigningError(
      `${profile.id} has no signatures by ${key.algorithm}: use a key for ${profile.algorithms.join(' or ')}.`,
    );
  const read = wellFormed(httpMessage);
  const message: Message = { ...read, body: read.body.slice() };
  if ((message.start !== undefined) !== (profile.message === 'request'))
    throw new TypeError(`The profile is for a ${profile.message}, and the message is the other kind.`);
  return asSigningError(() => signOwn(platform, message, request));
}

async function signOwn(
  platform: MessagePlatform,
  message: Message,
  request: ProfiledSignature & { readonly others: readonly string[] },
): Promise<{ readonly headers: ProfiledSignatureLines; readonly signatureBase: string }> {
  const { profile: defined, key } = request;
  const { profile } = defined;
  const others = request.others.map(readComponentIdentifier);
  const parameters = parametersOf(request, defined);
  const digest = await missingDigest(platform, message, defined, others);
  const complete: Message =
    digest === undefined
      ? message
      : { ...message, headers: new Map([...message.headers, ['content-digest', [digest]]]) };
  const label = request.label ?? profile.select?.label ?? 'sig';
  const { headers, signatureBase } = await signRead(complete, {
    label,
    components: componentsOf(complete, defined, label, others),
    parameters,
    key,
    ...(profile.fieldTypes && { fieldTypes: profile.fieldTypes }),
  });
  const nowSeconds = parameters.created ?? systemSeconds();
  const refusal = await problemOfSigned(platform, withSignature(complete, headers), defined, nowSeconds);
  if (refusal !== undefined)
    throw new MessageSigningError(
      `By ${profile.id}, this would be rejected (${refusal.code}): ${refusal.reason}.`,
    );
  return {
    headers: digest === undefined ? headers : { 'Content-Digest': digest, ...headers },
    signatureBase,
  };
}

function checkedOthers(others: unknown): readonly string[] {
  if (others === undefined) return [];
  if (!Array.isArray(others) || !others.every((text) => typeof text === 'string'))
    throw wrongType('others', others, 'a list of texts');
  return [...others];
}

function withSignature(message: Message, lines: SignatureLines): Message {
  const headers = new Map(message.headers);
  for (const [name, line] of Object.entries(lines) as [string, string][]) {
    const lowerCase = name.toLowerCase();
    headers.set(lowerCase, [...(headers.get(lowerCase) ?? []), line]);
  }
  return { ...message, headers };
}

/** Returns the `Content-Digest` that a profile wants covered, if the message lacks it. */
async function missingDigest(
  platform: MessagePlatform,
  message: Message,
  defined: DefinedProfile,
  others: readonly ComponentIdentifier[],
): Promise<string | undefined> {
  const [algorithm] = defined.profile.digests ?? [];
  const isWanted =
    rulesFor(defined, message).some(({ identifiers }) => identifiers.some(isBodyDigest)) ||
    others.some(isBodyDigest);
  if (!isWanted || algorithm === undefined || message.headers.has('content-digest')) return undefined;
  return `${algorithm}=:${encodeBase64(await platform.digest(algorithm, message.body))}:`;
}

function componentsOf(
  message: Message,
  defined: DefinedProfile,
  label: string,
  others: readonly ComponentIdentifier[],
): readonly string[] {
  const rules = rulesFor(defined, message);
  const chosen = rules.map((rule) => chosenText(rule, label, others));
  const listed = others.map(({ text }) => text);
  return [...chosen.filter((text) => !listed.includes(text)), ...listed];
}

/** Of several that will do, what the caller lists, or else the first. Any key means the signature's label. */
function chosenText(rule: DefinedRule, label: string, others: readonly ComponentIdentifier[]): string {
  const listed = others.find((identifier) => satisfies(identifier, rule));
  const first = listed ?? rule.identifiers[0]!;
  return rule.anyKey && listed === undefined ? `${first.text};key="${label}"` : first.text;
}

function parametersOf(
  { key, keyid, alg, tag, nonce, created, expires }: ProfiledSignature,
  { profile, tags }: DefinedProfile,
): SignatureParameters {
  const { parameters: rules, time } = profile;
  const isThere = (name: keyof SignatureParameters): boolean => rules[name] === 'required';
  if (isThere('keyid') && keyid === undefined) throw new MessageSigningError(`${profile.id} needs a keyid.`);
  const second = created ?? systemSeconds();
  const lifeSeconds = Math.min(defaultLifeSeconds, time.maxLifeSeconds ?? defaultLifeSeconds);
  const parameters: SignatureParameters = {
    created: rules.created === undefined ? created : second,
    expires: expires ?? (isThere('expires') ? second + lifeSeconds : undefined),
    keyid,
    alg: isThere('alg') || alg === true ? key.algorithm : undefined,
    nonce: nonce ?? (rules.nonce === undefined ? undefined : randomNonce(profile.nonceLength)),
    tag: tag ?? (isThere('tag') ? tags?.[0] : undefined),
  };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && rules[name as keyof SignatureParameters] === undefined)
      throw new MessageSigningError(`${profile.id} has no parameter "${name}".`);
  return parameters;
}

const defaultLifeSeconds = 300;

/** 256 random bits, or as many as fit. */
function randomNonce({ min, max } = { min: 1, max: 256 }): string {
  const bytes = Math.max(32, Math.ceil((min * 3) / 4));
  return encodeBase64(crypto.getRandomValues(new Uint8Array(bytes))).slice(0, max);
}

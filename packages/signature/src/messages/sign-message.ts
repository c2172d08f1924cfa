import { checkNumber, checkObject, checkText, wrongType } from '../arguments/check-argument.ts';
import { latin1Bytes } from '../platform/latin1-bytes.ts';
import { encodeBase64 } from '../rfc9421/base64.ts';
import {
  ComponentError,
  type ComponentIdentifier,
  isBodyDigest,
  readComponentIdentifier,
} from '../rfc9421/component-identifier.ts';
import { type HttpMessage, type Message, readMessage } from '../rfc9421/message.ts';
import { coveredComponents, messageBase } from '../rfc9421/message-base.ts';
import {
  isLabel,
  parameterItem,
  parameterTypes,
  readSignatureMembers,
  type SignatureParameters,
} from '../rfc9421/signature-members.ts';
import { type InnerList, type Item, parseItem, serializeDictionary } from '../rfc9421/structured-fields.ts';
import { type MessageAlgorithm, messageAlgorithms, type MessageSigningKey } from './algorithms.ts';
import { rulesFor, satisfies } from './covered-rules.ts';
import { checkDefined, type DefinedProfile, type DefinedRule } from './define-profile.ts';
import type { FieldTypes } from '../rfc9421/component-value.ts';
import type { MessagePlatform } from './platform.ts';
import { problemOfSigned } from './verify-message.ts';

/** What to sign, without a profile. */
export interface SignatureContent {
  /** The signature's label in both fields. */
  readonly label: string;
  /** The covered components, in order, as in `Signature-Input`; the quotes may be left out without parameters. */
  readonly components: readonly string[];
  /** In the order in which they are written. */
  readonly parameters?: SignatureParameters;
  readonly key: MessageSigningKey;
  /** The types of structured fields that the registry does not have. */
  readonly fieldTypes?: FieldTypes;
}

/** The header lines to add to a message. Lines of other signatures may stay: the lines of a field are one list. */
export interface SignatureLines {
  readonly 'Signature-Input': string;
  readonly Signature: string;
}

/** A signature, and what was signed. */
export interface MessageSignature {
  readonly headers: SignatureLines;
  readonly signatureBase: string;
}

/**
 * A message that cannot be signed as asked. Its message says what to do, and holds nothing of a key.
 */
export class MessageSigningError extends Error {
  override name = 'MessageSigningError';
}

/** Signs a message's components, without a profile: what a verifier requires is up to the caller. */
export async function createSignature(
  message: HttpMessage,
  content: SignatureContent,
): Promise<MessageSignature> {
  return signRead(wellFormed(message), content);
}

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
  checkKey(key);
  if (!profile.algorithms.includes(key.algorithm))
    throw new MessageSigningError(
      `${profile.id} has no signatures by ${key.algorithm}: use a key for ${profile.algorithms.join(' or ')}.`,
    );
  const read = wellFormed(httpMessage);
  const message: Message = { ...read, body: read.body.slice() };
  if ((message.start !== undefined) !== (profile.message === 'request'))
    throw new TypeError(`The profile is for a ${profile.message}; the message is none.`);
  return signing(() => signOwn(platform, message, request));
}

async function signOwn(
  platform: MessagePlatform,
  message: Message,
  request: ProfiledSignature & { readonly others: readonly string[] },
): Promise<{ readonly headers: ProfiledSignatureLines; readonly signatureBase: string }> {
  const { profile: defined, key, others } = request;
  const { profile } = defined;
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

/** Turns a component that cannot be signed into the caller's error. */
async function signing<Result>(sign: () => Promise<Result>): Promise<Result> {
  try {
    return await sign();
  } catch (error) {
    if (error instanceof ComponentError)
      throw new MessageSigningError(`The message cannot be signed: ${error.message}.`);
    throw error;
  }
}

function withSignature(message: Message, lines: SignatureLines): Message {
  const headers = new Map(message.headers);
  for (const [name, line] of Object.entries(lines) as [string, string][]) {
    const lowerCase = name.toLowerCase();
    headers.set(lowerCase, [...(headers.get(lowerCase) ?? []), line]);
  }
  return { ...message, headers };
}

function systemSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

async function signRead(message: Message, content: SignatureContent): Promise<MessageSignature> {
  checkObject(content, 'The signature');
  checkText(content.label, 'label');
  if (!Array.isArray(content.components))
    throw wrongType('components', content.components, 'a list of texts');
  checkKey(content.key);
  const { label, key } = content;
  if (!isLabel(label))
    throw new MessageSigningError('The label must be lower-case letters, digits and "_-.*", at most 64.');
  checkLabelIsFree(message, label);
  return signing(async () => {
    const input: InnerList = {
      type: 'inner-list',
      items: content.components.map(componentItem),
      parameters: parameterItems(content.parameters ?? {}, key.algorithm),
    };
    const base = messageBase(input, coveredComponents(input), message, content.fieldTypes);
    const signature = checkedSignature(await key.sign(latin1Bytes(base.text)), key.algorithm);
    return {
      headers: {
        'Signature-Input': serializeDictionary(new Map([[label, input]])),
        Signature: `${label}=:${encodeBase64(signature)}:`,
      },
      signatureBase: base.text,
    };
  });
}

/** A function of a vault or a key service may return anything. */
function checkedSignature(signature: unknown, algorithm: MessageAlgorithm): Uint8Array {
  const { min, max } = messageAlgorithms[algorithm].signatureBytes;
  if (!(signature instanceof Uint8Array)) throw wrongType('The result of sign', signature, 'a Uint8Array');
  if (signature.length >= min && signature.length <= max) return signature;
  const form = messageAlgorithms[algorithm].webName === 'ECDSA' ? ', r and s, not DER' : '';
  throw new MessageSigningError(
    `The key's sign must return ${min === max ? min : `${min} to ${max}`} bytes${form}.`,
  );
}

function checkKey(key: MessageSigningKey): void {
  if (typeof key?.sign !== 'function' || !Object.hasOwn(messageAlgorithms, key.algorithm))
    throw wrongType('key', key, 'a key that signs, with its algorithm');
}

function wellFormed(httpMessage: HttpMessage): Message {
  const message = readMessage(httpMessage);
  if (typeof message === 'string') throw new MessageSigningError(`The message cannot be sent: ${message}.`);
  return message;
}

/** Two members with one label would leave a verifier one of the two, or none. */
function checkLabelIsFree(message: Message, label: string): void {
  if (!message.headers.has('signature-input') && !message.headers.has('signature')) return;
  const members = readSignatureMembers(message.headers);
  if (typeof members !== 'object')
    throw new MessageSigningError('The message has signature fields that nobody could read: remove them.');
  if (members.inputs.has(label) || members.signatures.has(label))
    throw new MessageSigningError(
      `The message has a signature with the label "${label}": choose another one.`,
    );
}

function componentItem(given: string): Item {
  checkText(given, 'A component');
  // Reads it first: an item that is no identifier must not be signed.
  const { name, text, key, req } = readComponentIdentifier(given);
  if ((name === 'signature' || name === 'signature-input') && key === undefined && !req)
    throw new MessageSigningError(
      `A signature cannot cover all of ${text}, which will have it: add ;key="<label>".`,
    );
  return parseItem(text)!;
}

function parameterItems(
  parameters: SignatureParameters,
  algorithm: MessageAlgorithm,
): InnerList['parameters'] {
  if (parameters.alg !== undefined && parameters.alg !== algorithm)
    throw new MessageSigningError(`The key signs with ${algorithm}, not with what "alg" announces.`);
  if (parameters.alg !== undefined && !messageAlgorithms[algorithm].isRegistered)
    throw new MessageSigningError(
      `"alg" cannot announce ${algorithm}, which has no registered name: leave it out.`,
    );
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new Map(
    given.map(([name, value]) => {
      if (!Object.hasOwn(parameterTypes, name))
        throw new MessageSigningError(`No parameter is called "${name}".`);
      const parameter = name as keyof SignatureParameters;
      if (parameterTypes[parameter] === 'integer') {
        checkNumber(value, name);
        if (!(Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 999_999_999_999_999))
          throw new MessageSigningError(`"${name}" must be whole Unix seconds.`);
      } else {
        checkText(value, name);
        if (!/^[\x20-\x7e]*$/.test(value as string))
          throw new MessageSigningError(`"${name}" must be visible ASCII and spaces.`);
      }
      return [name, parameterItem(parameter, value as string | number)];
    }),
  );
}

/** Returns the `Content-Digest` that a profile wants covered, if the message lacks it. */
async function missingDigest(
  platform: MessagePlatform,
  message: Message,
  defined: DefinedProfile,
  others: readonly string[],
): Promise<string | undefined> {
  const [algorithm] = defined.profile.digests ?? [];
  const isWanted =
    rulesFor(defined, message).some(({ identifiers }) => identifiers.some(isBodyDigest)) ||
    others.map(readComponentIdentifier).some(isBodyDigest);
  if (!isWanted || algorithm === undefined || message.headers.has('content-digest')) return undefined;
  return `${algorithm}=:${encodeBase64(await platform.digest(algorithm, message.body))}:`;
}

function componentsOf(
  message: Message,
  defined: DefinedProfile,
  label: string,
  others: readonly string[],
): readonly string[] {
  const rules = rulesFor(defined, message);
  const chosen = rules.map((rule) => chosenText(rule, label, others));
  const listed = others.map(quoted);
  return [...chosen.filter((text) => !listed.includes(text)), ...listed];
}

/** Of several that will do, what the caller lists, or else the first. Any key means the signature's label. */
function chosenText(rule: DefinedRule, label: string, others: readonly string[]): string {
  const listed = others.map(readComponentIdentifier).find((identifier) => satisfies(identifier, rule));
  const first: ComponentIdentifier = listed ?? rule.identifiers[0]!;
  return rule.anyKey && listed === undefined ? `${first.text};key="${label}"` : first.text;
}

function quoted(text: string): string {
  return readComponentIdentifier(text).text;
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
    nonce: nonce ?? (rules.nonce === undefined ? undefined : randomNonce()),
    tag: tag ?? (isThere('tag') ? tags?.[0] : undefined),
  };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && rules[name as keyof SignatureParameters] === undefined)
      throw new MessageSigningError(`${profile.id} has no parameter "${name}".`);
  return parameters;
}

const defaultLifeSeconds = 300;

function randomNonce(): string {
  return encodeBase64(crypto.getRandomValues(new Uint8Array(32)));
}

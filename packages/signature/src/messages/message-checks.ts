import { checkNumber, wrongType } from '../arguments/check-argument.ts';
import { earlyDigestBytesMax, failingLater } from '../platform/early-digest.ts';
import { latin1Bytes } from '../platform/latin1-bytes.ts';
import { type Awaitable, isPromise } from '../profile/examination.ts';
import { readGuardAnswer } from '../profile/refusal.ts';
import { systemSeconds } from '../profile/time-window.ts';
import { replayIdBytes } from '../replay/replay-guard.ts';
import { ComponentError, type ComponentIdentifier, isBodyDigest } from '../rfc9421/component-identifier.ts';
import { readDigests } from '../rfc9421/digest-members.ts';
import type { Message } from '../rfc9421/message.ts';
import { coveredComponents, type MessageBase, messageBase } from '../rfc9421/message-base.ts';
import {
  parameterTypes,
  readSignatureParameters,
  type SignatureMembers,
  type SignatureParameters,
} from '../rfc9421/signature-members.ts';
import type { BareItem, InnerList } from '../rfc9421/structured-fields.ts';
import { isMessageAlgorithm, messageAlgorithms, type MessageVerifyingKey } from './algorithms.ts';
import { problemOfCovered } from './covered-rules.ts';
import type { DefinedProfile } from './define-profile.ts';
import type { DigestAlgorithm } from './message-profile.ts';
import type { UsedMessage } from './memory-message-guard.ts';
import type { ClaimedSignature, MessageVerification } from './message-verification.ts';
import type { MessagePlatform } from './platform.ts';
import { type MessageRefusal, refuseMessage } from './refusal.ts';

/** One message on its way through the checks; each check adds what it read for later ones. */
export interface MessageExamination extends SignatureMembers {
  readonly message: Message;
  readonly application: MessageVerification;
  readonly defined: DefinedProfile;
  readonly platform: MessagePlatform;
  nowSeconds: number;
  label: string;
  input: InnerList;
  signature: Uint8Array<ArrayBuffer>;
  parameters: SignatureParameters;
  identifiers: readonly ComponentIdentifier[];
  base: MessageBase;
  key: MessageVerifyingKey;
  /** The body's digests that were begun before they were needed. */
  begunDigests?: ReadonlyMap<DigestAlgorithm, Promise<Uint8Array>>;
}

type MessageCheck = (examination: MessageExamination) => Awaitable<MessageRefusal | undefined>;

/** The checks of a profile that need no key and no body, in their order. */
export const profileChecks: readonly {
  readonly name: string;
  readonly run: (examination: MessageExamination) => MessageRefusal | undefined;
}[] = [
  { name: 'selection', run: checkSelection },
  { name: 'parameters', run: checkParameters },
  { name: 'algorithm', run: checkAlgorithm },
  { name: 'components', run: checkComponents },
  { name: 'time', run: checkTime },
];

/** The checks in their order. Nothing is remembered before the last, and no key is tried before the message is in order. */
export const messageChecks: readonly { readonly name: string; readonly run: MessageCheck }[] = [
  ...profileChecks,
  { name: 'signature', run: checkSignature },
  { name: 'signature', run: checkTimeAgain },
  { name: 'digest', run: checkDigest },
  { name: 'replay', run: checkReplay },
];

/** Returns the application's clock. @throws TypeError for what is no time */
export function clockOf({ nowSeconds = systemSeconds }: MessageVerification): number {
  const now = nowSeconds();
  checkNumber(now, 'The result of nowSeconds');
  return now;
}

/** The signature that the profile selects, by tag or label; or the only one. */
export function checkSelection(examination: MessageExamination): MessageRefusal | undefined {
  const { inputs, hasOthers, defined } = examination;
  const label = defined.profile.select?.label;
  const selected = [...inputs].filter(([name, { parameters }]) => {
    return (label === undefined || name === label) && hasTag(parameters.get('tag'), defined);
  });
  if (selected.length > candidatesMax)
    return refuseMessage(
      'signature_ambiguous',
      `more than ${candidatesMax} signatures have ${selection(defined)}`,
    );
  const complete = defined.profile.select?.complete === true && selected.length > 1;
  const counting = complete ? selected.filter(([, input]) => isComplete(input, examination)) : selected;
  const [first, second] = counting;
  if (first === undefined && hasOthers)
    return refuseMessage('signature_malformed', 'a member of Signature-Input is not a list of components');
  if (first === undefined)
    return refuseMessage(
      'signature_not_selected',
      `no signature has ${selection(defined)}${complete ? ' and covers what is required' : ''}`,
    );
  if (second !== undefined)
    return refuseMessage('signature_ambiguous', `${counting.length} signatures have ${selection(defined)}`);
  return takeSignature(examination, first);
}

/** Takes the signature of a member of `Signature-Input`. */
export function takeSignature(
  examination: MessageExamination,
  [label, input]: readonly [label: string, input: InnerList],
): MessageRefusal | undefined {
  const signature = examination.signatures.get(label);
  if (signature === undefined)
    return refuseMessage('signature_missing', `Signature has no member "${label}"`);
  examination.label = label;
  examination.input = input;
  examination.signature = new Uint8Array(signature);
  return undefined;
}

/** Each costs time before any key is tried. */
const candidatesMax = 8;

function hasTag(tag: BareItem | undefined, { tags, profile }: DefinedProfile): boolean {
  if (tags === undefined) return true;
  return tag === undefined
    ? profile.select?.untagged === true
    : tag.type === 'string' && tags.includes(tag.value);
}

/** Returns true if a signature has the parameters and covers the components that the profile requires. */
function isComplete(input: InnerList, examination: MessageExamination): boolean {
  const { defined, message } = examination;
  if (checkParameters({ ...examination, input }) !== undefined) return false;
  return componentProblem(() => problemOfCovered(coveredComponents(input), defined, message)) === undefined;
}

/** Returns the problem that is found, or that a component cannot be covered. */
function componentProblem(find: () => string | undefined): string | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof ComponentError) return error.message;
    throw error;
  }
}

function selection({ profile: { select = {} }, tags }: DefinedProfile): string {
  const wanted = [
    ...(select.label === undefined ? [] : [`the label "${select.label}"`]),
    ...(tags === undefined ? [] : [`the tag ${tags.map((tag) => `"${tag}"`).join(' or ')}`]),
  ];
  return wanted.length === 0 ? 'a label, and only one may be there' : wanted.join(' and ');
}

/** The profile's parameters, each of its type, and no others. */
function checkParameters(examination: MessageExamination): MessageRefusal | undefined {
  const { input, defined } = examination;
  const { parameters: rules, nonceLength = { min: 1, max: 256 } } = defined.profile;
  const parameters = readSignatureParameters(input);
  if (typeof parameters === 'string') return refuseMessage('parameters_invalid', parameters);
  for (const name of input.parameters.keys()) {
    if (!Object.hasOwn(rules, name) || rules[name as keyof typeof rules] === undefined)
      return refuseMessage('parameters_invalid', `the parameter "${name}" must not be there`);
  }
  for (const name of Object.keys(parameterTypes) as (keyof SignatureParameters)[]) {
    if (rules[name] === 'required' && parameters[name] === undefined)
      return refuseMessage('parameters_invalid', `the parameter "${name}" is missing`);
  }
  const { nonce } = parameters;
  if (nonce !== undefined && !(nonce.length >= nonceLength.min && nonce.length <= nonceLength.max))
    return refuseMessage(
      'parameters_invalid',
      `the nonce must have ${nonceLength.min} to ${nonceLength.max} characters`,
    );
  examination.parameters = parameters;
  return undefined;
}

/** An announced algorithm is one of the profile. It must also be the key's. */
function checkAlgorithm({ parameters: { alg }, defined }: MessageExamination): MessageRefusal | undefined {
  const { algorithms } = defined.profile;
  if (alg === undefined || algorithms.some((name) => name === alg && messageAlgorithms[name].isRegistered))
    return undefined;
  return refuseMessage('algorithm_not_allowed', `only ${algorithms.join(', ')} is accepted`);
}

/** The components that the profile requires, and the signature base of all. */
function checkComponents(examination: MessageExamination): MessageRefusal | undefined {
  const { input, message, defined } = examination;
  const problem = componentProblem(() => {
    const identifiers = coveredComponents(input);
    examination.identifiers = identifiers;
    const found = problemOfCovered(identifiers, defined, message);
    if (found === undefined)
      examination.base = messageBase(input, identifiers, message, defined.profile.fieldTypes);
    return found;
  });
  return problem === undefined ? undefined : refuseMessage('components_invalid', problem);
}

/** The profile's limits on `created` and `expires`, both inclusive. The negated comparisons also reject NaN. */
function checkTime({ parameters, defined, nowSeconds }: MessageExamination): MessageRefusal | undefined {
  const { created, expires } = parameters;
  const { maxAgeSeconds, maxFutureSeconds, maxLifeSeconds, expiresGraceSeconds = 0 } = defined.profile.time;
  if (expires !== undefined && created !== undefined && !(expires > created))
    return refuseMessage('parameters_invalid', 'expires is not after created');
  if (created !== undefined && !(created - nowSeconds <= maxFutureSeconds!))
    return refuseMessage(
      'created_in_future',
      `created is ${created - nowSeconds} s ahead; the limit is ${maxFutureSeconds!} s`,
    );
  if (maxAgeSeconds !== undefined && !(nowSeconds - created! <= maxAgeSeconds))
    return refuseMessage(
      'created_expired',
      `created is ${nowSeconds - created!} s old; the limit is ${maxAgeSeconds} s`,
    );
  if (expires !== undefined && !(nowSeconds - expires <= expiresGraceSeconds))
    return refuseMessage('signature_expired', `expires was ${nowSeconds - expires} s ago`);
  if (maxLifeSeconds !== undefined && expires !== undefined && !(expires - created! <= maxLifeSeconds))
    return refuseMessage(
      'parameters_invalid',
      `expires is ${expires - created!} s after created; the limit is ${maxLifeSeconds} s`,
    );
  return undefined;
}

function checkTimeAgain(examination: MessageExamination): MessageRefusal | undefined {
  examination.nowSeconds = clockOf(examination.application);
  return checkTime(examination);
}

/** A key that the application returns made this signature; it must be for an algorithm of the profile, and the announced one. */
async function checkSignature(examination: MessageExamination): Promise<MessageRefusal | undefined> {
  const { application, defined, base, signature, parameters, platform } = examination;
  if (platform.isConcurrent) examination.begunDigests = beginDigests(examination);
  const finding = application.keysFor(claimed(examination));
  const found = (isPromise(finding) ? await finding : finding) ?? [];
  const keys = [found].flat() as readonly MessageVerifyingKey[];
  const bytes = latin1Bytes(base.text);
  for (const key of keys) {
    if (typeof key?.verifies !== 'function' || !key.id || !isMessageAlgorithm(key.algorithm))
      throw wrongType('A result of keysFor', key, 'a key that verifies, with its algorithm and id');
    if (!defined.profile.algorithms.includes(key.algorithm)) continue;
    if (parameters.alg !== undefined && parameters.alg !== key.algorithm) continue;
    const verifying: unknown = key.verifies(bytes, signature);
    const answer = isPromise(verifying) ? await verifying : verifying;
    // Only true: a count, or an object of another library, must not pass.
    if (answer === true) {
      examination.key = key;
      return undefined;
    }
  }
  const reason = keys.length === 0 ? 'no key was found' : 'no key that was found verifies the signature';
  return refuseMessage('signature_invalid', reason);
}

/** A digest that the body must have. */
export interface DigestToCompare {
  readonly algorithm: DigestAlgorithm;
  readonly digest: Uint8Array;
  /** False for one beside those that are signed: anyone could have added it. It must be the body's all the same. */
  readonly isSigned: boolean;
}

/** Reads the digests of a covered `Content-Digest`, by each algorithm that the profile knows; none if it is not covered. */
export function digestsToCompare({
  message,
  identifiers,
  defined,
}: Pick<MessageExamination, 'message' | 'identifiers' | 'defined'>):
  | readonly DigestToCompare[]
  | MessageRefusal {
  const covering = identifiers.filter(isBodyDigest);
  if (covering.length === 0) return [];
  const digests = readDigests(message.headers.get('content-digest')!.join(', '));
  if (digests === undefined)
    return refuseMessage(
      'digest_malformed',
      'Content-Digest is not a dictionary of byte sequences, each algorithm once',
    );
  const known: readonly DigestAlgorithm[] = defined.profile.digests ?? [];
  const present = known.filter((algorithm) => digests.has(algorithm));
  const isSigned = (algorithm: string): boolean =>
    covering.some(({ key }) => key === undefined || key === algorithm);
  if (!present.some(isSigned))
    return refuseMessage(
      'digest_missing',
      `the signed part of Content-Digest has none of ${known.join(', ') || 'no algorithms'}`,
    );
  return present.map((algorithm) => ({
    algorithm,
    digest: digests.get(algorithm)!,
    isSigned: isSigned(algorithm),
  }));
}

/** Begins the digests of a body that is small, so that it costs less than the signature if that is invalid. */
function beginDigests(examination: MessageExamination): ReadonlyMap<DigestAlgorithm, Promise<Uint8Array>> {
  const { message, platform } = examination;
  const begun = new Map<DigestAlgorithm, Promise<Uint8Array>>();
  const digests = message.body.length <= earlyDigestBytesMax ? digestsToCompare(examination) : [];
  if ('ok' in digests) return begun;
  for (const { algorithm } of digests)
    begun.set(algorithm, failingLater(Promise.resolve(platform.digest(algorithm, message.body))));
  return begun;
}

/** A covered digest is the body's, by each algorithm that the profile knows. */
async function checkDigest(examination: MessageExamination): Promise<MessageRefusal | undefined> {
  const { message, platform, begunDigests } = examination;
  const digests = digestsToCompare(examination);
  if ('ok' in digests) return digests;
  for (const { algorithm, digest } of digests) {
    const digesting = begunDigests?.get(algorithm) ?? platform.digest(algorithm, message.body);
    const actual = isPromise(digesting) ? await digesting : digesting;
    if (!equal(actual, digest))
      return refuseMessage(
        'digest_mismatch',
        `Content-Digest is not the ${algorithm} of the ${message.body.length} bytes received`,
      );
  }
  return undefined;
}

function equal(first: Uint8Array, second: Uint8Array): boolean {
  if (first.length !== second.length) return false;
  for (let index = 0; index < first.length; index++) if (first[index] !== second[index]) return false;
  return true;
}

/** Uses up the message: its base, which others cannot vary as they can an ECDSA or PSS signature, and its nonce. */
async function checkReplay(examination: MessageExamination): Promise<MessageRefusal | undefined> {
  const { application, defined, parameters, base, platform, nowSeconds, key } = examination;
  const { replay, time } = defined.profile;
  const { nonce, created, expires } = parameters;
  if (replay === 'off' || (replay === 'nonce if sent' && nonce === undefined)) return undefined;
  // Not the profile's name: one signature can follow two of them, by different rules.
  const texts = [
    `base ${base.text}`,
    ...(nonce === undefined || replay === 'base' ? [] : [`nonce ${nonce}`]),
  ];
  const ids: string[] = [];
  for (const text of texts) {
    const hash = await platform.digest('sha-256', new TextEncoder().encode(JSON.stringify([key.id, text])));
    ids.push(String.fromCharCode(...hash.subarray(0, replayIdBytes)));
  }
  const ends = [
    expires === undefined ? undefined : expires + (time.expiresGraceSeconds ?? 0),
    time.maxAgeSeconds === undefined ? undefined : created! + time.maxAgeSeconds,
  ];
  const used: UsedMessage = {
    ids,
    owner: key.owner ?? key.id,
    created: created!,
    acceptedUntil: Math.min(...ends.filter((end) => end !== undefined)),
  };
  return readGuardAnswer(await application.guard!.use(used, nowSeconds));
}

/** Returns what is known of a signature once its base is. */
export function claimed({ label, parameters, base }: MessageExamination): ClaimedSignature {
  return { label, covered: base.covered, ...parameters };
}

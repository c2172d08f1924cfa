/**
 * Reads the signature of a request before its sender's profile is known, for a service whose clients follow several. Proving
 * the key, the body and the replay guard are the service's: `verifyMessage` of the other entry points leaves nothing to forget.
 *
 * @module
 */
import { isKeyid } from '../profile/keyid.ts';
import { ComponentError, isBodyDigest } from '../rfc9421/component-identifier.ts';
import type { FieldTypes } from '../rfc9421/component-value.ts';
import type { HeaderLines } from '../rfc9421/header-lines.ts';
import { type Message, readMessage } from '../rfc9421/message.ts';
import { coveredComponents, messageBase } from '../rfc9421/message-base.ts';
import { readSignatureMembers, readSignatureParameters } from '../rfc9421/signature-members.ts';
import type { DefinedProfile } from './define-profile.ts';
import {
  checkSelection,
  claimed,
  digestsToCompare,
  type DigestToCompare,
  type MessageExamination,
  profileChecks,
  takeSignature,
} from './message-checks.ts';
import type { ClaimedSignature } from './message-verification.ts';
import { type MessageRefusal, refuseMessage } from './refusal.ts';

export { acceptMessageSignature } from './accept-message-signature.ts';
export { type MessageAlgorithm, messageAlgorithms } from './algorithms.ts';
export { type DefinedProfile, defineProfile } from './define-profile.ts';
export type { BoundPart, MessageProfile } from './message-profile.ts';
export { messageProfiles } from './profiles/index.ts';
export type { MessageRefusal, MessageRefusalCode } from './refusal.ts';
export type { DigestToCompare } from './message-checks.ts';
export { type ExaminedHead, type ExaminedSignature, examineHead, type HeadCheck } from './examine-head.ts';
export { openParts } from './open-parts.ts';
export { wantedSignature, type WantedSignature } from './wanted-signature.ts';
export { thumbprintText } from './thumbprint.ts';
export { readDigests } from '../rfc9421/digest-members.ts';
export type { CoveredComponent } from '../rfc9421/message-base.ts';
export type { SignatureParameters } from '../rfc9421/signature-members.ts';

/** The head of a received request. */
export interface RequestHeadMessage {
  readonly method: string;
  /** The full URL as called: configured origin and raw request target, as text. */
  readonly targetUri: string;
  readonly headers: HeaderLines;
}

/**
 * One signature of a request, read without knowing which profile it must follow: that is known only once the key, and so its
 * owner, is proved. Until then, nothing in it is true.
 */
export interface RequestSignature extends ClaimedSignature {
  readonly keyid: string;
  /** Unix seconds. */
  readonly created: number;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The signature base (RFC 9421 section 2.5). */
  readonly base: string;
  /** True if it covers `Content-Digest`. */
  readonly coversBody: boolean;
  /** What the functions of this file read again. */
  readonly examination: MessageExamination;
}

/**
 * Reads the signature of a request: the only one, or the one that the profiles select.
 *
 * @param profiles those that clients may have here; of a field in `fieldTypes`, all that have it say the same
 */
export function readRequestSignature(
  head: RequestHeadMessage,
  profiles: readonly DefinedProfile[],
): RequestSignature | MessageRefusal {
  const message = readMessage(head);
  if (typeof message === 'string') return refuseMessage('message_malformed', message);
  const members = readSignatureMembers(message.headers);
  if (members === undefined)
    return refuseMessage('signature_missing', 'Signature-Input and Signature must both be there');
  if (typeof members === 'string') return refuseMessage('signature_malformed', members);
  const examination = { ...members, message } as MessageExamination;
  const refusal = selectSignature(examination, profiles);
  if (refusal !== undefined) return refusal;
  const parameters = readSignatureParameters(examination.input);
  if (typeof parameters === 'string') return refuseMessage('parameters_invalid', parameters);
  const { keyid, created } = parameters;
  if (!isKeyid(keyid))
    return refuseMessage(
      'parameters_invalid',
      'keyid must have 1 to 256 visible ASCII characters without spaces',
    );
  if (created === undefined) return refuseMessage('parameters_invalid', 'the parameter "created" is missing');
  examination.parameters = parameters;
  try {
    examination.identifiers = coveredComponents(examination.input);
    // Only `sf` needs them. A profile that does not know a type cannot have it covered: `problemByProfile` reads it again.
    examination.base = messageBase(
      examination.input,
      examination.identifiers,
      message,
      fieldTypesOf(profiles),
    );
  } catch (error) {
    if (error instanceof ComponentError) return refuseMessage('components_invalid', error.message);
    throw error;
  }
  return {
    ...claimed(examination),
    keyid,
    created,
    signature: examination.signature,
    base: examination.base.text,
    coversBody: examination.identifiers.some(isBodyDigest),
    examination,
  };
}

/** Returns the types of structured fields that any of the profiles knows. No two of them may have different ones. */
function fieldTypesOf(profiles: readonly DefinedProfile[]): FieldTypes | undefined {
  const known = profiles.flatMap(({ profile: { fieldTypes } }) => (fieldTypes ? [fieldTypes] : []));
  return known.length === 0 ? undefined : (Object.assign({}, ...known) as FieldTypes);
}

/** Takes the signature that all profiles which select one agree on. */
function selectSignature(
  examination: MessageExamination,
  profiles: readonly DefinedProfile[],
): MessageRefusal | undefined {
  let first: MessageRefusal | undefined;
  let label: string | undefined;
  for (const defined of profiles) {
    const tried = { ...examination, defined };
    const refusal = checkSelection(tried);
    // That one profile selects nothing says less than what is wrong with what another selects.
    if (first === undefined || first.code === 'signature_not_selected') first = refusal ?? first;
    if (refusal !== undefined || tried.label === label) continue;
    if (label !== undefined)
      return refuseMessage(
        'signature_ambiguous',
        `the signatures "${label}" and "${tried.label}" both count`,
      );
    ({ label } = tried);
    examination.label = tried.label;
    examination.input = tried.input;
    examination.signature = tried.signature;
  }
  if (label !== undefined) return undefined;
  // Of the only signature, the client's own profile says why it does not count.
  return examination.inputs.size === 1 ? takeSignature(examination, [...examination.inputs][0]!) : first;
}

/**
 * Runs the checks of a profile that need neither a key nor the body: the same signature is selected, parameters, algorithm,
 * components, time.
 *
 * @param hasBody whether a body follows; undefined if only reading can tell
 */
export function problemByProfile(
  { examination, label, coversBody }: RequestSignature,
  defined: DefinedProfile,
  nowSeconds: number,
  hasBody: boolean | undefined,
): MessageRefusal | undefined {
  const message: Message = { ...examination.message, body: (hasBody ?? coversBody) ? someBody : noBody };
  const examined: MessageExamination = { ...examination, message, defined, nowSeconds };
  for (const { run } of profileChecks) {
    const refusal = run(examined);
    if (refusal !== undefined) return refusal;
  }
  if (examined.label === label) return undefined;
  return refuseMessage('signature_not_selected', `another signature counts: "${examined.label}"`);
}

/** Stands for the bytes of a body that has not arrived. */
const someBody = new Uint8Array(1);
const noBody = new Uint8Array(0);

/** Returns the digests that a body must have by a profile, or why they cannot be read; none if the body is not covered. */
export function digestsByProfile(
  { examination }: RequestSignature,
  defined: DefinedProfile,
): readonly DigestToCompare[] | MessageRefusal {
  return digestsToCompare({ ...examination, defined });
}

import { checkObject, checkOptionalFunction, wrongType } from '../arguments/check-argument.ts';
import { isPromise } from '../profile/examination.ts';
import { isBodyDigest } from '../rfc9421/component-identifier.ts';
import { type HttpMessage, type Message, readMessage } from '../rfc9421/message.ts';
import { readSignatureMembers } from '../rfc9421/signature-members.ts';
import { checkDefined, type DefinedProfile } from './define-profile.ts';
import { claimed, clockOf, messageChecks, type MessageExamination } from './message-checks.ts';
import type { MessageVerification, VerifiedMessage } from './message-verification.ts';
import type { MessagePlatform } from './platform.ts';
import { type MessageRefusal, refuseMessage } from './refusal.ts';

/** Verifies a message with a runtime's cryptography. */
export async function verifyMessageOn(
  platform: MessagePlatform,
  httpMessage: HttpMessage,
  application: MessageVerification,
): Promise<VerifiedMessage | MessageRefusal> {
  checkApplication(application);
  const nowSeconds = clockOf(application);
  const message = readMessage(httpMessage);
  if (typeof message === 'string') return refuseMessage('message_malformed', message);
  const isRequest = message.start !== undefined;
  const { profile: defined } = application;
  if (isRequest !== (defined.profile.message === 'request'))
    throw new TypeError(
      `The profile is for a ${defined.profile.message}, and the message is the other kind.`,
    );
  const members = readSignatureMembers(message.headers);
  if (members === undefined)
    return refuseMessage('signature_missing', 'Signature-Input and Signature must both be there');
  if (typeof members === 'string') return refuseMessage('signature_malformed', members);
  // The caller may change its bytes during the await.
  const own: Message = { ...message, body: message.body.slice() };
  const examination = {
    ...members,
    message: own,
    application,
    defined,
    platform,
    nowSeconds,
  } as MessageExamination;
  for (const { run } of messageChecks) {
    const outcome = run(examination);
    const refusal = isPromise(outcome) ? await outcome : outcome;
    if (refusal !== undefined) return refusal;
  }
  const coversBody = examination.identifiers.some(isBodyDigest);
  return { ok: true, ...claimed(examination), coversBody, key: examination.key };
}

/**
 * Returns what a verifier would reject in a message that was just signed; undefined if nothing. Tries no key and remembers
 * nothing.
 */
export async function problemOfSigned(
  platform: MessagePlatform,
  message: Message,
  defined: DefinedProfile,
  nowSeconds: number,
): Promise<MessageRefusal | undefined> {
  const members = readSignatureMembers(message.headers);
  if (typeof members !== 'object')
    return refuseMessage('signature_malformed', 'the signature fields cannot be read');
  const examination = { ...members, message, defined, platform, nowSeconds } as MessageExamination;
  for (const { name, run } of messageChecks) {
    if (name === 'signature') continue;
    if (name === 'replay') return undefined;
    const outcome = run(examination);
    const refusal = isPromise(outcome) ? await outcome : outcome;
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkApplication(application: MessageVerification): void {
  checkObject(application, 'options');
  const { profile, keysFor, guard, nowSeconds } = application;
  checkDefined(profile);
  if (typeof keysFor !== 'function') throw wrongType('keysFor', keysFor, 'a function');
  checkOptionalFunction(nowSeconds, 'nowSeconds');
  if (profile.profile.replay !== 'off' && typeof guard?.use !== 'function')
    throw wrongType(
      'guard',
      guard,
      'a replay guard, with a function `use`: the profile lets each signature pass once',
    );
}

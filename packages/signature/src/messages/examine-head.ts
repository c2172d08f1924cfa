import { type Message, readMessage } from '../rfc9421/message.ts';
import type { CoveredComponent } from '../rfc9421/message-base.ts';
import {
  readSignatureMembers,
  readSignatureParameters,
  type SignatureParameters,
} from '../rfc9421/signature-members.ts';
import { type InnerList, serializeMember } from '../rfc9421/structured-fields.ts';
import type { DefinedProfile } from './define-profile.ts';
import {
  digestsToCompare,
  type DigestToCompare,
  type MessageExamination,
  profileChecks,
  takeSignature,
} from './message-checks.ts';
import { baseOf } from './message-base-of.ts';
import { type MessageRefusal, refuseMessage } from './refusal.ts';
import type { RequestHeadMessage } from './request-signature.ts';

/** What a check of `examineHead` is about, in the order in which it runs. */
export type HeadCheck =
  | 'message'
  | 'presence'
  | 'selection'
  | 'parameters'
  | 'algorithm'
  | 'components'
  | 'time';

/** What a profile's checks find in the head of a request. */
export interface ExaminedHead {
  /** Every check that fails, the first one first. Those that another one keeps from running are left out. */
  readonly failures: readonly { readonly check: HeadCheck; readonly refusal: MessageRefusal }[];
  /** The labels in `Signature-Input`. */
  readonly labels: readonly string[];
  /** The signature that counts, or the only one. */
  readonly signature: ExaminedSignature | undefined;
  /** The request; undefined if it cannot be one. */
  readonly message: Message | undefined;
}

/** A signature as it was sent. */
export interface ExaminedSignature {
  readonly label: string;
  readonly bytes: Uint8Array;
  /** The member of `Signature-Input` in its canonical form, as the last line of the base has it. */
  readonly text: string;
  readonly input: InnerList;
  /** Those that can be read; none if one has a wrong type. */
  readonly parameters: SignatureParameters;
  /** The covered components with their values; undefined if one of them cannot be covered. */
  readonly covered: readonly CoveredComponent[] | undefined;
  /** The signature base (RFC 9421 section 2.5); undefined if one of the components cannot be covered. */
  readonly base: string | undefined;
  /** The digests that the body must have, or why they cannot be read; none if it is not covered. */
  readonly digests: readonly DigestToCompare[] | MessageRefusal;
}

/**
 * Runs each check of a profile that needs neither a key nor the body, for those who explain why a request is rejected.
 * To decide about a request, use `readRequestSignature`.
 *
 * @param hasBody undefined if it is not known
 */
export function examineHead(
  head: RequestHeadMessage,
  defined: DefinedProfile,
  { nowSeconds, hasBody }: { readonly nowSeconds: number; readonly hasBody: boolean | undefined },
): ExaminedHead {
  const read = readMessage(head);
  if (typeof read === 'string') return ended('message', refuseMessage('message_malformed', read), undefined);
  const members = readSignatureMembers(read.headers);
  if (members === undefined) {
    const reason = 'Signature-Input and Signature must both be there';
    return ended('presence', refuseMessage('signature_missing', reason), read);
  }
  if (typeof members === 'string')
    return ended('selection', refuseMessage('signature_malformed', members), read);
  const labels = [...members.inputs.keys()];
  const isBodySaid = hasBody ?? [...members.inputs.values()].some(coversDigest);
  const message: Message = { ...read, body: new Uint8Array(isBodySaid ? 1 : 0) };
  const examination = { ...members, message, defined, nowSeconds } as MessageExamination;
  const failures: { readonly check: HeadCheck; readonly refusal: MessageRefusal }[] = [];
  for (const { name, run } of profileChecks) {
    if (name !== 'selection' && examination.input === undefined) break;
    if (!canRun(name, examination)) continue;
    const refusal = run(examination);
    if (refusal === undefined) continue;
    failures.push({ check: name as HeadCheck, refusal });
    // What is wrong with the only signature can be said whether it counts or not.
    const [only, second] = examination.inputs;
    if (name === 'selection' && only !== undefined && second === undefined) takeSignature(examination, only);
    if (name === 'parameters') takeParameters(examination);
  }
  return { failures, labels, signature: examinedSignature(examination), message };
}

function ended(check: HeadCheck, refusal: MessageRefusal, message: Message | undefined): ExaminedHead {
  return { failures: [{ check, refusal }], labels: [], signature: undefined, message };
}

function coversDigest({ items }: InnerList): boolean {
  return items.some(({ value }) => value.value === 'content-digest');
}

/** Times are compared only if those that the profile requires are there. */
function canRun(name: string, { parameters, defined }: MessageExamination): boolean {
  if (name !== 'time' && name !== 'algorithm') return true;
  if (parameters === undefined) return false;
  return (
    name !== 'time' || defined.profile.parameters.created !== 'required' || parameters.created !== undefined
  );
}

function takeParameters(examination: MessageExamination): void {
  const parameters = readSignatureParameters(examination.input);
  if (typeof parameters !== 'string') examination.parameters = parameters;
}

function examinedSignature(examination: MessageExamination): ExaminedSignature | undefined {
  const { label, input, signature, parameters, message, defined } = examination;
  if (input === undefined || signature === undefined) return undefined;
  const { text, covered } = baseOf(input, message, defined) ?? { text: undefined, covered: undefined };
  return {
    label,
    bytes: signature,
    text: serializeMember(input),
    input,
    parameters: parameters ?? {},
    covered,
    base: text,
    digests:
      covered === undefined
        ? []
        : digestsToCompare({ message, defined, identifiers: covered.map(({ identifier }) => identifier) }),
  };
}

import {
  compileFormat,
  type ComponentList,
  forwarded,
  forwardedProfiled,
} from '@countersign/signature/profile';
import {
  type BareItem,
  type InnerList,
  type Member,
  parseDictionary,
  serializeDictionary,
  serializeMember,
} from '@countersign/signature/rfc9421';
import type { ReceivedRequest } from './received-request.ts';
import { type Refusal, refuse } from './refusal.ts';

/** The gateway's signature, well-formed but not yet verified. */
export interface ForwardedSignature {
  readonly covered: ComponentList;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds. */
  readonly expires: number;
  readonly keyid: string;
  /** The value of `@signature-params` (RFC 9421 section 2.3). */
  readonly signatureParams: string;
  readonly signature: Uint8Array;
}

/** Reads the gateway's member. Rejects everything that the gateway does not write. */
export function readForwardedSignature(request: ReceivedRequest): ForwardedSignature | Refusal {
  const input = readMember(request, 'signature-input');
  if (input === undefined) return refuse('signature_missing', 'the gateway did not sign the request');
  const signature = readMember(request, 'signature');
  if (input === 'malformed' || signature === 'malformed' || signature === undefined)
    return malformed(`Signature-Input and Signature do not hold one member "${label}" each`);
  if (input.type !== 'inner-list' || signature.type !== 'item' || signature.value.type !== 'bytes')
    return malformed(`the member "${label}" has another type`);
  if (signature.parameters.size > 0 || signature.value.value.length !== signatureBytes)
    return malformed(`an Ed25519 signature has ${signatureBytes} bytes`);
  const covered = lists.get(serializeMember({ ...input, parameters: new Map() }));
  if (covered === undefined) return malformed('it does not cover what the gateway signs');
  const parameters = readParameters(input);
  if (parameters === undefined) return malformed('its parameters are not those of the gateway');
  return {
    ...parameters,
    covered,
    signatureParams: serializeMember(input),
    signature: signature.value.value,
  };
}

const { label, tag } = forwarded.select;
/** What the gateway covers, by its text. */
const lists: ReadonlyMap<string, ComponentList> = new Map(
  [forwarded, forwardedProfiled].flatMap((format) => [...compileFormat(format).lists]),
);
const signatureBytes = 64;

/**
 * Returns the gateway's member of a signature field, all lines of which are one dictionary (RFC 9421
 * section 4.2). A text with any repetition is malformed: a parser would keep only one of two members with the
 * same label.
 */
function readMember({ fields }: ReceivedRequest, name: string): Member | 'malformed' | undefined {
  const text = (fields.get(name) ?? []).join(', ');
  if (!text.includes(label)) return undefined;
  const isTooLong = text.length > forwarded.limits.signatureFieldLengthMax;
  const members = isTooLong ? undefined : parseDictionary(text);
  if (members === undefined || evenCommas(serializeDictionary(members)) !== evenCommas(text))
    return 'malformed';
  return members.get(label);
}

/** Servers and proxies join lines with a comma, but differ in the space after it. */
function evenCommas(text: string): string {
  return text.trim().replace(/[ \t]*,[ \t]*/g, ',');
}

function readParameters({
  parameters,
}: InnerList): Pick<ForwardedSignature, 'created' | 'expires' | 'keyid'> | undefined {
  const names = Object.keys(forwarded.parameters);
  if (parameters.size !== names.length || !names.every((name) => parameters.has(name))) return undefined;
  const [created, expires, keyid] = ['created', 'expires', 'keyid'].map((name) => parameters.get(name)!);
  if (created?.type !== 'integer' || expires?.type !== 'integer' || keyid?.type !== 'string')
    return undefined;
  const [algorithm] = forwarded.algorithms;
  if (!isString(parameters.get('alg'), algorithm) || !isString(parameters.get('tag'), tag)) return undefined;
  return { created: created.value, expires: expires.value, keyid: keyid.value };
}

function isString(item: BareItem | undefined, value: string): boolean {
  return item?.type === 'string' && item.value === value;
}

function malformed(reason: string): Refusal {
  return refuse('signature_malformed', reason);
}

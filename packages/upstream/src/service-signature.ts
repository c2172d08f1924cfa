import {
  compileFormat,
  type ComponentList,
  type Refusal,
  refuse,
  type SignatureFormat,
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

/** A signature of the service, well-formed but not yet verified. */
export interface ServiceSignature {
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

/** Why a signature could not be read. */
export type SignatureRefusal = Refusal<'signature_missing' | 'signature_malformed'>;

/**
 * Returns the reader of the service's signatures in some formats, which have one label and one tag. It rejects everything that the
 * service does not write.
 *
 * @param signer what signs, for texts
 */
export function signatureReader(
  signer: 'gateway' | 'service',
  formats: readonly [SignatureFormat, ...SignatureFormat[]],
): (request: ReceivedRequest) => ServiceSignature | SignatureRefusal {
  const [format] = formats;
  const { label } = format.select;
  /** What is covered, by its text. */
  const lists: ReadonlyMap<string, ComponentList> = new Map(
    formats.flatMap((each) => [...compileFormat(each).lists]),
  );
  return (request) => {
    const input = readMember(request, 'signature-input', label);
    if (input === undefined) return refuse('signature_missing', `the ${signer} did not sign the request`);
    const signature = readMember(request, 'signature', label);
    if (input === 'malformed' || signature === 'malformed' || signature === undefined)
      return malformed(`Signature-Input and Signature do not hold one member "${label}" each`);
    if (input.type !== 'inner-list' || signature.type !== 'item' || signature.value.type !== 'bytes')
      return malformed(`the member "${label}" has another type`);
    if (signature.parameters.size > 0 || signature.value.value.length !== signatureBytes)
      return malformed(`an Ed25519 signature has ${signatureBytes} bytes`);
    const covered = lists.get(serializeMember({ ...input, parameters: new Map() }));
    if (covered === undefined) return malformed(`it does not cover what the ${signer} signs`);
    const parameters = readParameters(input, format);
    if (parameters === undefined) return malformed(`its parameters are not those of the ${signer}`);
    return {
      ...parameters,
      covered,
      signatureParams: serializeMember(input),
      signature: signature.value.value,
    };
  };
}

const signatureBytes = 64;
const fieldLengthMax = 16_384;

/**
 * Returns the service's member of a signature field, all lines of which are one dictionary (RFC 9421
 * section 4.2). A text with any repetition is malformed: a parser would keep only one of two members with the
 * same label.
 */
function readMember(
  { fields }: ReceivedRequest,
  name: string,
  label: string,
): Member | 'malformed' | undefined {
  const text = (fields.get(name) ?? []).join(', ');
  if (!text.includes(label)) return undefined;
  const isTooLong = text.length > fieldLengthMax;
  const members = isTooLong ? undefined : parseDictionary(text);
  if (members === undefined || evenCommas(serializeDictionary(members)) !== evenCommas(text))
    return 'malformed';
  return members.get(label);
}

/** Servers and proxies join lines with a comma, but differ in the space after it. */
function evenCommas(text: string): string {
  return text.trim().replace(/[ \t]*,[ \t]*/g, ',');
}

function readParameters(
  { parameters }: InnerList,
  format: SignatureFormat,
): Pick<ServiceSignature, 'created' | 'expires' | 'keyid'> | undefined {
  const names = Object.keys(format.parameters);
  if (parameters.size !== names.length || !names.every((name) => parameters.has(name))) return undefined;
  const [created, expires, keyid] = ['created', 'expires', 'keyid'].map((name) => parameters.get(name)!);
  if (created?.type !== 'integer' || expires?.type !== 'integer' || keyid?.type !== 'string')
    return undefined;
  const [algorithm] = format.algorithms;
  if (!isString(parameters.get('alg'), algorithm) || !isString(parameters.get('tag'), format.select.tag))
    return undefined;
  return { created: created.value, expires: expires.value, keyid: keyid.value };
}

function isString(item: BareItem | undefined, value: string | undefined): boolean {
  return item?.type === 'string' && item.value === value;
}

function malformed(reason: string): SignatureRefusal {
  return refuse('signature_malformed', reason);
}

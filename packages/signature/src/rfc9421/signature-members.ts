import type { Fields } from './message.ts';
import { type BareItem, type InnerList, type Member, parseDictionary } from './structured-fields.ts';

/** Characters in all lines of a signature's field together; nothing longer is read. */
const signatureFieldLengthMax = 16_384;

/** The members of a message's signature fields, by label (RFC 9421 section 4). */
export interface SignatureMembers {
  readonly inputs: ReadonlyMap<string, InnerList>;
  readonly signatures: ReadonlyMap<string, Uint8Array>;
  /** True if a member of `Signature-Input` is of another type, and so is no signature. */
  readonly hasOthers: boolean;
}

/**
 * Reads `Signature-Input` and `Signature`, over all of their lines.
 *
 * @returns undefined if either is missing; a sentence for a text that is no dictionary, or that has a label twice
 */
export function readSignatureMembers(fields: Fields): SignatureMembers | string | undefined {
  const inputText = fields.get('signature-input')?.join(', ');
  const signatureText = fields.get('signature')?.join(', ');
  if (inputText === undefined || signatureText === undefined) return undefined;
  const inputs = readMembers(inputText, innerList);
  if (inputs === undefined) return 'Signature-Input is not a dictionary with each label once';
  const signatures = readMembers(signatureText, bytes);
  if (signatures === undefined) return 'Signature is not a dictionary with each label once';
  return { inputs: inputs.values, signatures: signatures.values, hasOthers: inputs.hasOthers };
}

/** Returns true for a text that can be a signature's label. */
export function isLabel(text: string): boolean {
  return /^[a-z*][a-z0-9_.*-]{0,63}$/.test(text);
}

/** Reads `Accept-Signature` (RFC 9421 section 5.1): the signatures that are asked for, by label. */
export function readAcceptSignature(text: string): ReadonlyMap<string, InnerList> | undefined {
  const lists = readMembers(text, innerList);
  return lists?.hasOthers === false ? lists.values : undefined;
}

/** A signature's parameters of their types (RFC 9421 section 2.3). */
export interface SignatureParameters {
  /** Unix seconds. */
  readonly created?: number | undefined;
  /** Unix seconds. */
  readonly expires?: number | undefined;
  readonly keyid?: string | undefined;
  readonly alg?: string | undefined;
  readonly nonce?: string | undefined;
  readonly tag?: string | undefined;
}

/** The parameters of RFC 9421 section 2.3, in the order in which signers write them, and their types. */
export const parameterTypes: Readonly<Record<keyof SignatureParameters, 'integer' | 'string'>> = {
  created: 'integer',
  expires: 'integer',
  keyid: 'string',
  alg: 'string',
  nonce: 'string',
  tag: 'string',
};

/** Returns the parameters; a sentence for one of another type. Others are ignored. */
export function readSignatureParameters({ parameters }: InnerList): SignatureParameters | string {
  const read: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(parameterTypes)) {
    const item = parameters.get(name);
    if (item !== undefined && item.type !== type)
      return `the parameter "${name}" is not ${type === 'integer' ? 'an integer' : 'a string'}`;
    read[name] = item?.value;
  }
  return read;
}

/** Returns a parameter's value for `Signature-Input`. */
export function parameterItem(name: keyof SignatureParameters, value: string | number): BareItem {
  return parameterTypes[name] === 'integer'
    ? { type: 'integer', value: value as number }
    : { type: 'string', value: value as string };
}

interface Members<Value> {
  readonly values: ReadonlyMap<string, Value>;
  /** True if there are members of another type: they do not keep the others from being read. */
  readonly hasOthers: boolean;
}

function readMembers<Value>(
  text: string,
  read: (member: Member) => Value | undefined,
): Members<Value> | undefined {
  if (text.length > signatureFieldLengthMax) return undefined;
  const members = parseDictionary(text, 'refuse repeated keys');
  if (members === undefined) return undefined;
  const values = new Map<string, Value>();
  for (const [label, member] of members) {
    const value = read(member);
    if (value !== undefined) values.set(label, value);
  }
  return { values, hasOthers: values.size < members.size };
}

function innerList(member: Member): InnerList | undefined {
  return member.type === 'inner-list' ? member : undefined;
}

function bytes(member: Member): Uint8Array | undefined {
  return member.type === 'item' && member.value.type === 'bytes' ? member.value.value : undefined;
}

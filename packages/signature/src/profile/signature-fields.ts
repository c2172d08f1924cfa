import { decodeBase64 } from '../rfc9421/base64.ts';
import { componentLists, defaultProfile, signatureLabel } from './profiles.ts';
import {
  type BareItem,
  type InnerList,
  parseDictionary,
  serializeDictionary,
} from '../rfc9421/structured-fields.ts';

/** The content of `Signature-Input`, read from its canonical text before any of the profile's rules apply. */
export interface SignatureInput {
  /** The canonical text of the covered components: `("@method" …)`. */
  readonly componentsText: string;
  readonly parameters: SignatureParameters;
  /** The exact text after `sig=`: the value of `@signature-params` in the signature base (RFC 9421 section 2.3). */
  readonly signatureParams: string;
}

/** A signature's parameters, of any type, and the names of those unknown to the profile. */
export interface SignatureParameters {
  readonly created: BareItem | undefined;
  readonly keyid: BareItem | undefined;
  readonly alg: BareItem | undefined;
  readonly nonce: BareItem | undefined;
  readonly unknown: readonly string[];
}

const memberPrefix = `${signatureLabel}=`;
const bytesPrefix = `${signatureLabel}=:`;

/**
 * Reads `Signature-Input` (RFC 9421 section 4.1): exactly one member `sig`, an inner list, in canonical text. Returns
 * undefined for any other text.
 */
export function readSignatureInput(text: string): SignatureInput | undefined {
  return readUsualSignatureInput(text) ?? readAnySignatureInput(text);
}

/** Reads `Signature` (RFC 9421 section 4.2): exactly one member `sig`, canonical Base64; undefined otherwise. */
export function readSignature(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!text.startsWith(bytesPrefix) || text.length < bytesPrefix.length + 1) return undefined;
  if (text.charCodeAt(text.length - 1) !== 0x3a) return undefined;
  return decodeBase64(text.slice(bytesPrefix.length, -1));
}

/**
 * Reads any text. Structured fields have one canonical text per value (RFC 8941 section 4.1): comparing with
 * it rejects white space, repeated names, empty values and leading zeros.
 */
export function readAnySignatureInput(text: string): SignatureInput | undefined {
  const members = parseDictionary(text);
  const member = members?.get(signatureLabel);
  if (!members || members.size !== 1 || member?.type !== 'inner-list') return undefined;
  if (serializeDictionary(members) !== text) return undefined;
  return {
    componentsText: componentsText(member),
    parameters: {
      created: member.parameters.get('created'),
      keyid: member.parameters.get('keyid'),
      alg: member.parameters.get('alg'),
      nonce: member.parameters.get('nonce'),
      unknown: [...member.parameters.keys()].filter((name) => !knownParameters.has(name)),
    },
    signatureParams: text.slice(memberPrefix.length),
  };
}

/**
 * A fast path for the texts of honest signers: the profile's components, then `created`, `keyid` and `alg`,
 * in the profile's order and form. It never rejects: for any other text it returns undefined, and the reader
 * above decides. Its results equal that reader's; tests compare the two.
 */
export function readUsualSignatureInput(text: string): SignatureInput | undefined {
  const match = usualText.exec(text);
  if (!match) return undefined;
  return {
    componentsText: match[2]!,
    parameters: {
      created: { type: 'integer', value: Number(match[3]) },
      keyid: { type: 'string', value: match[4]! },
      alg: algItems.get(match[5]!),
      nonce: undefined,
      unknown: none,
    },
    signatureParams: match[1]!,
  };
}

const { algorithms } = defaultProfile.profile;
const usualText = new RegExp(
  `^${signatureLabel}=((${anyOf(componentLists.map(({ text }) => text))})` +
    `;created=(0|[1-9][0-9]{0,14});keyid="([ !#-[\\]-~]*)";alg="(${anyOf(algorithms)})")$`,
);
const algItems: ReadonlyMap<string, BareItem> = new Map(
  algorithms.map((value) => [value, { type: 'string', value }]),
);
const none: readonly string[] = [];
const knownParameters: ReadonlySet<string> = new Set(Object.keys(defaultProfile.profile.parameters));

/** Returns the source of an expression that matches these texts alone. */
function anyOf(texts: readonly string[]): string {
  return texts.map((text) => text.replace(/\W/g, '\\$&')).join('|');
}

function componentsText(list: InnerList): string {
  return serializeDictionary(new Map([['l', { ...list, parameters: new Map() }]])).slice(2);
}

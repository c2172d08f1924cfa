import { checkText, wrongType } from '../arguments/check-argument.ts';
import { readMessage, type RequestMessage } from '../rfc9421/message.ts';
import { coveredComponents } from '../rfc9421/message-base.ts';
import {
  parameterItem,
  parameterTypes,
  readAcceptSignature,
  readSignatureParameters,
  type SignatureParameters,
} from '../rfc9421/signature-members.ts';
import {
  type BareItem,
  type InnerList,
  parseItem,
  serializeDictionary,
} from '../rfc9421/structured-fields.ts';
import { rulesFor } from './covered-rules.ts';
import { checkDefined, type DefinedProfile } from './define-profile.ts';

/** Values that a signature should have. */
export interface WantedValues {
  /** The nonce to include: the server's challenge. */
  readonly nonce?: string;
  /** The key to sign with. */
  readonly keyid?: string;
}

/**
 * Returns the `Accept-Signature` field (RFC 9421 section 5.1) that asks for a signature by a profile: in a response, for one of
 * the next request; in a request, by a profile of responses, for one of the response.
 *
 * @param request the request that is answered, or that asks; its body and query determine what a request must cover
 */
export function acceptMessageSignature(
  defined: DefinedProfile,
  request: RequestMessage,
  { nonce, keyid }: WantedValues = {},
): string {
  checkDefined(defined);
  const message = readMessage(request);
  if (typeof message === 'string') throw new TypeError(`The request cannot be answered: ${message}.`);
  const { profile, tags, rules } = defined;
  const label = profile.select?.label ?? 'sig';
  const applying =
    profile.message === 'request'
      ? rulesFor(defined, message)
      : rules.filter(({ when }) => when === 'always' || when === 'body');
  const items = applying.map(({ identifiers, anyKey }) => {
    const text = identifiers[0]!.text;
    return parseItem(anyKey ? `${text};key="${label}"` : text)!;
  });
  const isRequired = (name: keyof SignatureParameters): boolean => profile.parameters[name] === 'required';
  const wanted: readonly (readonly [string, BareItem | undefined])[] = [
    ['created', isRequired('created') ? isTrue : undefined],
    ['expires', isRequired('expires') ? isTrue : undefined],
    ['keyid', textItem('keyid', keyid)],
    ['alg', textItem('alg', isRequired('alg') ? profile.algorithms[0] : undefined)],
    ['nonce', textItem('nonce', nonce)],
    ['tag', textItem('tag', isRequired('tag') ? tags?.[0] : undefined)],
  ];
  const parameters = new Map(
    wanted.flatMap(([name, item]) => (item === undefined ? [] : [[name, item] as const])),
  );
  return serializeDictionary(new Map([[label, { type: 'inner-list', items, parameters }]]));
}

const isTrue: BareItem = { type: 'boolean', value: true };

function textItem(name: keyof SignatureParameters, value: string | undefined): BareItem | undefined {
  if (value !== undefined && !(typeof value === 'string' && /^[ -~]*$/.test(value)))
    throw wrongType(name, value, 'a text of visible ASCII and spaces');
  return value === undefined ? undefined : parameterItem(name, value);
}

/** A signature that the other side asks for. */
export interface RequestedSignature {
  readonly label: string;
  /** The components to cover, for `createSignature`. */
  readonly components: readonly string[];
  /** The values that it asks for. */
  readonly parameters: SignatureParameters;
  /** The times that it asks for, with values of the signer's choice. */
  readonly chosen: readonly ('created' | 'expires')[];
}

/**
 * Reads `Accept-Signature`.
 *
 * @returns undefined for a text that is not such a field, or asks for what RFC 9421 does not define
 */
export function readRequestedSignatures(text: string): readonly RequestedSignature[] | undefined {
  checkText(text, 'The text of Accept-Signature');
  const members = readAcceptSignature(text);
  if (members === undefined) return undefined;
  const requested: RequestedSignature[] = [];
  for (const [label, list] of members) {
    const one = requestedSignature(label, list);
    if (one === undefined) return undefined;
    requested.push(one);
  }
  return requested;
}

function requestedSignature(label: string, list: InnerList): RequestedSignature | undefined {
  const chosen = (['created', 'expires'] as const).filter(
    (name) => list.parameters.get(name)?.value === true,
  );
  const others = [...list.parameters].filter(([name]) => !chosen.some((time) => time === name));
  const parameters = readSignatureParameters({ ...list, parameters: new Map(others) });
  const isKnown = others.every(([name]) => Object.hasOwn(parameterTypes, name));
  if (typeof parameters === 'string' || !isKnown) return undefined;
  try {
    const components = coveredComponents(list).map((component) => component.text);
    return { label, components, parameters, chosen };
  } catch {
    return undefined;
  }
}

import { readComponentIdentifier } from '../rfc9421/component-identifier.ts';
import { readMessage, type RequestMessage } from '../rfc9421/message.ts';
import { readAcceptSignature, type SignatureParameters } from '../rfc9421/signature-members.ts';
import { type InnerList, serializeMember } from '../rfc9421/structured-fields.ts';
import { rulesFor } from './covered-rules.ts';
import type { DefinedProfile } from './define-profile.ts';

/**
 * Returns the `Accept-Signature` field (RFC 9421 section 5.1) that asks for a request's signature by a profile.
 *
 * @param request the request that is answered; its body and query determine what must be covered
 */
export function acceptMessageSignature(defined: DefinedProfile, request: RequestMessage): string {
  const message = readMessage(request);
  if (typeof message === 'string') throw new TypeError(`The request cannot be answered: ${message}.`);
  const { profile, tags } = defined;
  const label = profile.select?.label ?? 'sig';
  const components = rulesFor(defined, message).map(({ identifiers, anyKey }) =>
    anyKey ? `${identifiers[0]!.text};key="${label}"` : identifiers[0]!.text,
  );
  // `tag` has a value, the others are asked for by their name alone.
  const parameters = Object.entries(profile.parameters).flatMap(([name, rule]) => {
    if (rule !== 'required') return [];
    if (name === 'tag' && tags !== undefined) return [`;tag="${tags[0]!}"`];
    return name === 'alg' ? [`;alg="${profile.algorithms[0]!}"`] : [`;${name}`];
  });
  return `${label}=(${components.join(' ')})${parameters.join('')}`;
}

/** A signature that a server asks for. */
export interface RequestedSignature {
  readonly label: string;
  /** The components to cover, for `createSignature`. */
  readonly components: readonly string[];
  /** The values that it asks for. */
  readonly parameters: SignatureParameters;
  /** The parameters that it asks for with a value of the signer's choice. */
  readonly chosen: readonly string[];
}

/**
 * Reads `Accept-Signature`.
 *
 * @returns undefined for a text that is not such a field
 */
export function readRequestedSignatures(text: string): readonly RequestedSignature[] | undefined {
  const members = readAcceptSignature(text);
  if (members === undefined) return undefined;
  try {
    return [...members].map(([label, list]) => requested(label, list));
  } catch {
    return undefined;
  }
}

function requested(label: string, { items, parameters }: InnerList): RequestedSignature {
  const given = [...parameters];
  return {
    label,
    components: items.map((item) => readComponentIdentifier(serializeMember(item)).text),
    parameters: Object.fromEntries(
      given.flatMap(([name, { type, value }]) => (type === 'boolean' ? [] : [[name, value]])),
    ),
    chosen: given.flatMap(([name, { type }]) => (type === 'boolean' ? [name] : [])),
  };
}

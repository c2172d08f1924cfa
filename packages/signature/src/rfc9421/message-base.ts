import { ComponentError, componentIdentifier, type ComponentIdentifier } from './component-identifier.ts';
import { componentValue, type FieldTypes } from './component-value.ts';
import type { Message } from './message.ts';
import { type InnerList, serializeMember } from './structured-fields.ts';

/** The most components that a signature can cover here: each costs time before any key is tried. */
export const coveredComponentsMax = 64;

/** A covered component with the value that is signed. */
export interface CoveredComponent {
  readonly identifier: ComponentIdentifier;
  /** As in the signature base: where a field's lines begin and end is not signed, except with the parameter `bs`. */
  readonly value: string;
}

/** A signature base, and what it covers. */
export interface MessageBase {
  /** ASCII; lines end with `\n`, except for the last. */
  readonly text: string;
  readonly covered: readonly CoveredComponent[];
}

/**
 * Reads the covered components of a member of `Signature-Input`.
 *
 * @throws ComponentError if one is none, or is there twice
 */
export function coveredComponents({ items }: InnerList): readonly ComponentIdentifier[] {
  if (items.length > coveredComponentsMax)
    throw new ComponentError(`more than ${coveredComponentsMax} components are covered`);
  const identifiers = items.map(componentIdentifier);
  const identities = new Set(identifiers.map(({ identity }) => identity));
  if (identities.size < identifiers.length) throw new ComponentError('a component is covered twice');
  return identifiers;
}

/**
 * Builds a message's signature base (RFC 9421 section 2.5) from a member of `Signature-Input`.
 *
 * @throws ComponentError if the message lacks a component
 */
export function messageBase(
  input: InnerList,
  identifiers: readonly ComponentIdentifier[],
  message: Message,
  fieldTypes?: FieldTypes,
): MessageBase {
  const covered: CoveredComponent[] = [];
  let lines = '';
  for (const identifier of identifiers) {
    const value = componentValue(identifier, message, fieldTypes);
    covered.push(Object.freeze({ identifier, value }));
    lines += `${identifier.text}: ${value}\n`;
  }
  return {
    text: `${lines}"@signature-params": ${serializeMember(input)}`,
    covered: Object.freeze(covered),
  };
}

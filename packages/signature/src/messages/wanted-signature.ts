import { ComponentError, type ComponentIdentifier } from '../rfc9421/component-identifier.ts';
import { dictionaryOf } from '../rfc9421/component-value.ts';
import type { Message } from '../rfc9421/message.ts';
import { coveredComponents } from '../rfc9421/message-base.ts';
import { parameterItem, parameterTypes, type SignatureParameters } from '../rfc9421/signature-members.ts';
import { type InnerList, parseItem, serializeDictionary } from '../rfc9421/structured-fields.ts';
import { rulesFor, satisfies } from './covered-rules.ts';
import type { DefinedProfile, DefinedRule } from './define-profile.ts';
import type { ExaminedSignature } from './examine-head.ts';
import { baseOf } from './message-base-of.ts';

/** A signature to make. */
export interface WantedSignature {
  /** The whole `Signature-Input`. */
  readonly signatureInput: string;
  /** Undefined if the request lacks something that must be covered. */
  readonly base: string | undefined;
}

/**
 * Returns the signature that a request should have by a profile: the one that it has, with what is missing added and what must
 * not be there removed.
 *
 * @param values of the parameters that it should have; of those that it lacks too, so that they are added
 */
export function wantedSignature(
  message: Message,
  defined: DefinedProfile,
  sent: Pick<ExaminedSignature, 'label' | 'input'> | undefined,
  values: SignatureParameters,
): WantedSignature {
  const { profile } = defined;
  const label = profile.select?.label ?? sent?.label ?? 'sig';
  const listed = sent === undefined ? [] : identifiersOf(sent.input);
  const texts = componentsToCover(message, defined, label, listed);
  const order = [...(sent?.input.parameters.keys() ?? []), ...Object.keys(parameterTypes)];
  const parameters = new Map(
    [...new Set(order)].flatMap((name) => {
      const value = isParameter(name) && profile.parameters[name] !== undefined ? values[name] : undefined;
      return value === undefined ? [] : [[name, parameterItem(name as keyof SignatureParameters, value)]];
    }),
  );
  const input: InnerList = {
    type: 'inner-list',
    items: texts.map((text) => parseItem(text)!),
    parameters,
  };
  return {
    signatureInput: serializeDictionary(new Map([[label, input]])),
    base: baseOf(input, message, defined)?.text,
  };
}

function isParameter(name: string): name is keyof SignatureParameters {
  return Object.hasOwn(parameterTypes, name);
}

function identifiersOf(input: InnerList): readonly ComponentIdentifier[] {
  try {
    return coveredComponents(input);
  } catch (error) {
    if (error instanceof ComponentError) return [];
    throw error;
  }
}

function componentsToCover(
  message: Message,
  defined: DefinedProfile,
  label: string,
  listed: readonly ComponentIdentifier[],
): readonly string[] {
  const { others, order } = defined.profile.components;
  const rules = rulesFor(defined, message);
  const textFor = (rule: DefinedRule): string =>
    listed.find((identifier) => satisfies(identifier, rule))?.text ?? textOfRule(rule, message, label);
  if (order === 'fixed') return rules.map(textFor);
  const kept = listed.filter(
    (identifier) => others === 'any' || defined.rules.some((rule) => satisfies(identifier, rule)),
  );
  const missing = rules.filter((rule) => !kept.some((identifier) => satisfies(identifier, rule)));
  return [...kept.map(({ text }) => text), ...missing.map(textFor)];
}

/** Any key means one that the field has, or else the signature's label. */
function textOfRule({ identifiers, anyKey }: DefinedRule, { headers }: Message, label: string): string {
  const { text, name } = identifiers[0]!;
  if (!anyKey) return text;
  const lines = headers.get(name);
  const [key = label] = (lines && dictionaryOf(lines)?.keys()) ?? [];
  return `${text};key="${key}"`;
}

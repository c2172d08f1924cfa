import type { ComponentIdentifier } from '../rfc9421/component-identifier.ts';
import { dictionaryOf, queryParametersOf } from '../rfc9421/component-value.ts';
import type { Message } from '../rfc9421/message.ts';
import type { DefinedProfile, DefinedRule } from './define-profile.ts';

/** Returns the rules that apply to a message. */
export function rulesFor({ rules }: DefinedProfile, message: Message): readonly DefinedRule[] {
  return rules.filter(({ when, identifiers }) => {
    if (typeof when === 'object')
      return message.start !== undefined && when.methods.includes(message.start.method);
    switch (when) {
      case 'always':
        return true;
      case 'body':
        return message.body.length > 0;
      case 'query':
        return message.start?.targetUri.query !== undefined;
      case 'present':
        return identifiers.some((identifier) => isPresent(identifier, message));
    }
  });
}

/** A field that cannot be read counts as present: it must not be a way around the rule. */
function isPresent({ name, req, tr, key, parameter }: ComponentIdentifier, message: Message): boolean {
  const source = req ? message.request : message;
  if (name === '@query-param') {
    const parameters = source?.start && queryParametersOf(source.start.targetUri);
    return parameters === undefined || parameters.has(parameter!);
  }
  const lines = (tr ? source?.trailers : source?.headers)?.get(name);
  if (lines === undefined || key === undefined) return lines !== undefined;
  const members = dictionaryOf(lines);
  return members === undefined || members.has(key);
}

/** Returns true if a component is one that a rule asks for. */
export function satisfies(identifier: ComponentIdentifier, { identifiers, anyKey }: DefinedRule): boolean {
  return identifiers.some((wanted) =>
    anyKey
      ? identifier.key !== undefined && withoutKey(identifier) === withoutKey(wanted)
      : identifier.identity === wanted.identity,
  );
}

function withoutKey({ name, sf, bs, tr, req }: ComponentIdentifier): string {
  return JSON.stringify([name, sf, bs, tr, req]);
}

/**
 * Returns what is wrong with the covered components, in one sentence; undefined if nothing is.
 */
export function problemOfCovered(
  covered: readonly ComponentIdentifier[],
  defined: DefinedProfile,
  message: Message,
): string | undefined {
  const { others, order } = defined.profile.components;
  const rules = rulesFor(defined, message);
  const missing = rules.filter((rule) => !covered.some((identifier) => satisfies(identifier, rule)));
  if (missing.length > 0) return `not covered: ${missing.map(describeRule).join(', ')}`;
  const fixed = order === 'fixed';
  // Every rule, even one that does not apply here: a digest of no body may be covered.
  const extra = covered.find(
    (identifier) => !(fixed ? rules : defined.rules).some((rule) => satisfies(identifier, rule)),
  );
  if (others === 'none' && extra !== undefined) return `${extra.shown} must not be covered`;
  if (fixed && covered.some((identifier, index) => !satisfies(identifier, rules[index]!)))
    return `the order must be: ${rules.map(describeRule).join(' ')}`;
  return undefined;
}

/** Writes what a rule asks for. */
export function describeRule({ identifiers, anyKey }: DefinedRule): string {
  return identifiers.map(({ text }) => (anyKey ? `${text};key="…"` : text)).join(' or ');
}

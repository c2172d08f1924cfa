import { encodeBase64 } from './base64.ts';
import { ComponentError, type ComponentIdentifier } from './component-identifier.ts';
import type { Message, RequestStart, TargetUri } from './message.ts';
import { type QueryParameters, readQueryParameters } from './query-parameters.ts';
import { type Member, parseDictionary, serializeMember } from './structured-fields.ts';
import { normalAuthority } from './signature-base.ts';
import {
  strictText,
  structuredFieldLengthMax,
  type StructuredType,
  structuredTypes,
} from './structured-types.ts';

/** The types of structured fields that the registry does not have, by lower-case name. */
export type FieldTypes = Readonly<Record<string, StructuredType>>;

/**
 * Returns a component's value in a message (RFC 9421 sections 2.1, 2.2 and 2.4).
 *
 * @throws ComponentError if the message lacks it, or has it in a form that cannot be signed
 */
export function componentValue(
  identifier: ComponentIdentifier,
  message: Message,
  fieldTypes: FieldTypes = {},
): string {
  const source = identifier.req ? message.request : message;
  if (identifier.req && message.start !== undefined)
    throw new ComponentError(`${identifier.shown} needs a response`);
  if (source === undefined)
    throw new ComponentError(`${identifier.shown} needs the request that the response answers`);
  const value = identifier.name.startsWith('@')
    ? derivedValue(identifier, source)
    : fieldValue(identifier, source, fieldTypes);
  // A line break would start another component's line.
  if (!baseText.test(value)) throw new ComponentError(`${identifier.shown} is not ASCII without line breaks`);
  return value;
}

const baseText = /^[\x20-\x7e\t]*$/;

const requestComponents: Readonly<Record<string, (start: RequestStart, of: ComponentIdentifier) => string>> =
  {
    '@method': ({ method }) => method, // 2.2.1
    '@target-uri': ({ targetUri }) => targetUri.text, // 2.2.2
    '@authority': authority, // 2.2.3
    '@scheme': ({ targetUri }) => targetUri.scheme, // 2.2.4
    '@request-target': ({ requestTarget }) => requestTarget, // 2.2.5
    '@path': ({ targetUri }) => targetUri.path, // 2.2.6
    '@query': ({ targetUri }) => targetUri.query ?? '?', // 2.2.7
    '@query-param': queryParameter, // 2.2.8
  };

/** Returns true for a derived component of requests. */
export function isRequestComponent(name: string): boolean {
  return Object.hasOwn(requestComponents, name);
}

function derivedValue(identifier: ComponentIdentifier, { start, status }: Message): string {
  if (identifier.name === '@status') {
    if (status === undefined) throw new ComponentError('"@status" needs a response');
    return String(status); // 2.2.9
  }
  if (!isRequestComponent(identifier.name))
    throw new ComponentError(`${identifier.shown} is not a derived component`);
  if (start === undefined)
    throw new ComponentError(
      `${identifier.shown} is part of a request; of a response, add the parameter req`,
    );
  return requestComponents[identifier.name]!(start, identifier);
}

function authority({ targetUri: { authority: text, scheme } }: RequestStart): string {
  return normalAuthority(scheme, text);
}

function queryParameter({ targetUri }: RequestStart, { shown, parameter }: ComponentIdentifier): string {
  if (parameter === undefined) throw new ComponentError(`${shown} lacks the parameter "name"`);
  const query = targetUri.query ?? '';
  if (query.length > structuredFieldLengthMax)
    throw new ComponentError(`${shown}: the query is longer than ${structuredFieldLengthMax} characters`);
  const parameters = queryParametersOf(targetUri);
  if (parameters === undefined) throw new ComponentError(`${shown}: the query is not UTF-8`);
  const values = parameters.get(parameter) ?? [];
  if (values.length === 1) return values[0]!;
  throw new ComponentError(
    `${shown} is ${values.length === 0 ? 'not in the query' : 'in the query more than once'}`,
  );
}

/** Returns the parameters of a message's query; undefined if it is not UTF-8. */
export function queryParametersOf(targetUri: TargetUri): QueryParameters | undefined {
  return readOnce(queries, targetUri, () => readQueryParameters(targetUri.query ?? ''));
}

/** Returns the members of a message's field, if it is a dictionary. */
export function dictionaryOf(lines: readonly string[]): ReadonlyMap<string, Member> | undefined {
  return readOnce(dictionaries, lines, () => parseDictionary(lines.join(', ')));
}

/** What was read from a message already: a hostile one asks for each of many parts of one text. */
const queries = new WeakMap<object, QueryParameters | undefined>();
const dictionaries = new WeakMap<object, ReadonlyMap<string, Member> | undefined>();
const strictTexts = new WeakMap<object, string | undefined>();

function readOnce<Value>(known: WeakMap<object, Value>, of: object, read: () => Value): Value {
  if (known.has(of)) return known.get(of)!;
  const value = read();
  known.set(of, value);
  return value;
}

function fieldValue(identifier: ComponentIdentifier, message: Message, fieldTypes: FieldTypes): string {
  const { name, shown, bs, key, sf, tr } = identifier;
  const lines = (tr ? message.trailers : message.headers).get(name);
  if (lines === undefined) throw new ComponentError(`${shown} is not in the message`);
  if (bs) return lines.map((line) => `:${encodeBase64(octets(line, shown))}:`).join(', ');
  const combined = lines.join(', ');
  // A cookie's date has a comma: lines that are combined could be divided elsewhere (RFC 9421 section 2.1.3).
  if (name === 'set-cookie') throw new ComponentError('"set-cookie" needs the parameter bs');
  if ((key !== undefined || sf) && combined.length > structuredFieldLengthMax)
    throw new ComponentError(`${shown} is longer than ${structuredFieldLengthMax} characters`);
  if (key !== undefined) return dictionaryMember(lines, key, shown);
  return sf ? structuredValue(lines, combined, identifier, fieldTypes) : combined;
}

function octets(line: string, shown: string): Uint8Array {
  const bytes = new Uint8Array(line.length);
  for (let index = 0; index < line.length; index++) {
    const code = line.charCodeAt(index);
    if (code > 0xff) throw new ComponentError(`${shown} has a character above U+00FF, which is not an octet`);
    bytes[index] = code;
  }
  return bytes;
}

function dictionaryMember(lines: readonly string[], key: string, shown: string): string {
  const member = dictionaryOf(lines)?.get(key);
  if (member === undefined)
    throw new ComponentError(`${shown} is not a member of the field, read as a dictionary`);
  return serializeMember(member);
}

function structuredValue(
  lines: readonly string[],
  combined: string,
  { name, shown }: ComponentIdentifier,
  fieldTypes: FieldTypes,
): string {
  const types = Object.hasOwn(fieldTypes, name) ? fieldTypes : structuredTypes;
  if (!Object.hasOwn(types, name))
    throw new ComponentError(`${shown} is a structured field of an unknown type: name it in fieldTypes`);
  const strict = readOnce(strictTexts, lines, () => strictText(combined, types[name]!));
  if (strict === undefined)
    throw new ComponentError(`${shown} is not a structured field of the type ${types[name]!}`);
  return strict;
}

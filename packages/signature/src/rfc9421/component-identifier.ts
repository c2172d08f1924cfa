import { type Item, parseItem, serializeMember } from './structured-fields.ts';
import { lowerCaseFieldName } from './tokens.ts';

/** A component identifier (RFC 9421 section 2): a field's name or a derived component's, and parameters. */
export interface ComponentIdentifier {
  /** In lower case; a derived component's starts with `@`. */
  readonly name: string;
  /** As in `Signature-Input`, with its parameters in their order: `"content-digest";req`. */
  readonly text: string;
  /** The text for messages: without characters that are not usual, and not long. */
  readonly shown: string;
  /** Equal for identifiers of the same component: the order of parameters does not matter. */
  readonly identity: string;
  /** Serialize the field strictly as a structured field (section 2.1.1). */
  readonly sf: boolean;
  /** The member of a dictionary (section 2.1.2). */
  readonly key: string | undefined;
  /** Each line as a byte sequence (section 2.1.3). */
  readonly bs: boolean;
  /** From the trailers (section 2.1.4). */
  readonly tr: boolean;
  /** From the request that a response answers (section 2.4). */
  readonly req: boolean;
  /** The query parameter of `@query-param`, encoded (section 2.2.8). */
  readonly parameter: string | undefined;
}

/** A component that cannot be part of a signature base of this message. */
export class ComponentError extends Error {
  override name = 'ComponentError';
}

/**
 * Reads an item of the covered components.
 *
 * @throws ComponentError for parameters that RFC 9421 does not define, or that contradict each other
 */
export function componentIdentifier(item: Item): ComponentIdentifier {
  const { value, parameters } = item;
  const usual = parameters.size === 0 && value.type === 'string' ? usualIdentifier(value.value) : undefined;
  return usual ?? readIdentifier(item);
}

function readIdentifier(item: Item): ComponentIdentifier {
  const { value, parameters } = item;
  const text = serializeMember(item);
  const shown = usualText.test(text) ? text : 'a component';
  if (value.type !== 'string') throw new ComponentError(`${shown} is not a string`);
  const name = value.value;
  const isDerived = name.startsWith('@');
  if (!isDerived && !lowerCaseFieldName.test(name))
    throw new ComponentError(`${shown} is not a field's name in lower case`);
  for (const [parameter, { type, value: given }] of parameters) {
    const isText = parameter === 'key' || parameter === 'name';
    if (
      !(isDerived ? ofDerived : ofFields).has(parameter) ||
      (parameter === 'name' && name !== '@query-param')
    )
      throw new ComponentError(`${shown} has a parameter that it cannot have: ${shownKey(parameter)}`);
    if (isText ? type !== 'string' : given !== true)
      throw new ComponentError(
        `the parameter ${shownKey(parameter)} of ${shown} has a value of another type`,
      );
  }
  const bs = parameters.has('bs');
  if (bs && (parameters.has('sf') || parameters.has('key')))
    throw new ComponentError(`${shown} asks for bytes and for a structured field at once`);
  return {
    name,
    text,
    shown,
    identity: `${JSON.stringify(name)}${identityOf(item)}`,
    sf: parameters.has('sf'),
    key: textOf(item, 'key'),
    bs,
    tr: parameters.has('tr'),
    req: parameters.has('req'),
    parameter: textOf(item, 'name'),
  };
}

/**
 * Reads an identifier that is written as in `Signature-Input`; the quotes may be left out if it has no parameters.
 *
 * @example
 * readComponentIdentifier('@method')
 * readComponentIdentifier('"@query-param";name="id"')
 * @throws ComponentError if it cannot be one
 */
export function readComponentIdentifier(text: string): ComponentIdentifier {
  const item = parseItem(text.startsWith('"') ? text : `"${text}"`);
  if (!item) throw new ComponentError(`${JSON.stringify(text.slice(0, 64))} is not a component identifier`);
  return componentIdentifier(item);
}

/** Those that almost every signature covers, without parameters: read once. */
const usualNames: readonly string[] = [
  '@method',
  '@target-uri',
  '@authority',
  '@path',
  '@query',
  '@status',
  'authorization',
  'content-digest',
  'content-length',
  'content-type',
  'date',
  'host',
  'signature-agent',
];

let usualIdentifiers: ReadonlyMap<string, ComponentIdentifier> | undefined;

function usualIdentifier(name: string): ComponentIdentifier | undefined {
  usualIdentifiers ??= new Map(
    usualNames.map((value) => [
      value,
      Object.freeze(
        readIdentifier({ type: 'item', value: { type: 'string', value }, parameters: new Map() }),
      ),
    ]),
  );
  return usualIdentifiers.get(name);
}

/** A name with the usual parameters, all of them short. */
const usualText = /^"[@\w!#$%&'*+.^`|~-]{1,64}"(?:;[a-z]{1,8}(?:="[\w%*. -]{0,64}")?){0,6}$/;

const ofFields: ReadonlySet<string> = new Set(['sf', 'key', 'bs', 'tr', 'req']);
const ofDerived: ReadonlySet<string> = new Set(['req', 'name']);

function shownKey(key: string): string {
  return key.length > 32 ? `${key.slice(0, 32)}…` : key;
}

function identityOf({ parameters }: Item): string {
  return [...parameters]
    .map(([name, { value }]) => `;${name}=${JSON.stringify(value)}`)
    .toSorted()
    .join('');
}

function textOf({ parameters }: Item, name: string): string | undefined {
  const value = parameters.get(name);
  return value?.type === 'string' ? value.value : undefined;
}

/** Returns true for the component whose value is the digest of the message's own body. */
export function isBodyDigest({ name, req, tr }: ComponentIdentifier): boolean {
  return name === 'content-digest' && !req && !tr;
}

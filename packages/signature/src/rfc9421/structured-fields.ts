import { decodeBase64, encodeBase64 } from './base64.ts';

/**
 * Structured fields (RFC 8941, the edition that RFC 9421 refers to): dictionaries, lists, inner lists and items.
 *
 * Stricter than the RFC in one respect, as section 4.2.7 allows: Base64 in a byte sequence must be canonical.
 */
export type BareItem =
  | { readonly type: 'integer'; readonly value: number }
  | { readonly type: 'decimal'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'token'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'boolean'; readonly value: boolean };

/** Parameters, ordered by first occurrence; for a repeated name the last value wins (section 3.1.2). */
export type Parameters = ReadonlyMap<string, BareItem>;

/** A value with its parameters (section 3.3). */
export interface Item {
  readonly type: 'item';
  readonly value: BareItem;
  readonly parameters: Parameters;
}

/** A parenthesised list of items with its own parameters (section 3.1.1). */
export interface InnerList {
  readonly type: 'inner-list';
  readonly items: readonly Item[];
  readonly parameters: Parameters;
}

export type Member = Item | InnerList;

/**
 * Reads a dictionary (section 4.2.2); undefined where the RFC says that parsing fails.
 *
 * @param repeats the RFC keeps the last of several members with one key; refusing them is for fields in which two readers
 *   must not see different members
 */
export function parseDictionary(
  text: string,
  repeats: 'last wins' | 'refuse repeated keys' = 'last wins',
): Map<string, Member> | undefined {
  return parseField(text, (reader) => {
    const members = new Map<string, Member>();
    readMembers(reader, () => {
      const name = readKey(reader);
      if (repeats !== 'last wins' && members.has(name)) throw new SyntaxFailure();
      members.set(name, reader.take('=') ? readMember(reader) : implicitTrue(reader));
    });
    return members;
  });
}

/** Reads a list (section 4.2.1); undefined where the RFC says that parsing fails. */
export function parseList(text: string): Member[] | undefined {
  return parseField(text, (reader) => {
    const members: Member[] = [];
    readMembers(reader, () => members.push(readMember(reader)));
    return members;
  });
}

/** Reads an item (section 4.2.3); undefined where the RFC says that parsing fails. */
export function parseItem(text: string): Item | undefined {
  return parseField(text, readItem);
}

/** Writes a dictionary in its canonical text (section 4.1.2). The values must be ones that the RFC can write. */
export function serializeDictionary(members: ReadonlyMap<string, Member>): string {
  return [...members]
    .map(([name, member]) =>
      isImplicitTrue(member)
        ? name + serializeParameters(member.parameters)
        : `${name}=${serializeMember(member)}`,
    )
    .join(', ');
}

/** Writes a list in its canonical text (section 4.1.1). */
export function serializeList(members: readonly Member[]): string {
  return members.map(serializeMember).join(', ');
}

/** Writes an item or an inner list with its parameters in its canonical text (sections 4.1.1.1 and 4.1.3). */
export function serializeMember(member: Member): string {
  const value =
    member.type === 'item'
      ? serializeBareItem(member.value)
      : `(${member.items.map(serializeMember).join(' ')})`;
  return value + serializeParameters(member.parameters);
}

function serializeParameters(parameters: Parameters): string {
  let text = '';
  for (const [name, value] of parameters) {
    text += value.type === 'boolean' && value.value ? `;${name}` : `;${name}=${serializeBareItem(value)}`;
  }
  return text;
}

function serializeBareItem(item: BareItem): string {
  switch (item.type) {
    case 'integer':
      return String(item.value);
    case 'decimal':
      return serializeDecimal(item.value);
    case 'string':
      return `"${mustEscape.test(item.value) ? item.value.replace(/["\\]/g, '\\$&') : item.value}"`;
    case 'token':
      return item.value;
    case 'bytes':
      return `:${encodeBase64(item.value)}:`;
    case 'boolean':
      return item.value ? '?1' : '?0';
  }
}

const mustEscape = /["\\]/;

function serializeDecimal(value: number): string {
  const text = value.toFixed(3).replace(/0+$/, '');
  return text.endsWith('.') ? `${text}0` : text;
}

function isImplicitTrue(member: Member): boolean {
  return member.type === 'item' && member.value.type === 'boolean' && member.value.value;
}

class SyntaxFailure extends Error {}

/** A position in a text. Failed reads throw SyntaxFailure, which parseField catches. */
class Reader {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  get next(): string {
    return this.text.charAt(this.position);
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  take(character: string): boolean {
    if (this.next !== character) return false;
    this.position++;
    return true;
  }

  expect(character: string): void {
    if (!this.take(character)) throw new SyntaxFailure();
  }

  /** Consumes a sticky pattern's match at this position. */
  match(pattern: RegExp): string {
    const start = this.position;
    pattern.lastIndex = start;
    if (!pattern.test(this.text)) throw new SyntaxFailure();
    this.position = pattern.lastIndex;
    return this.text.slice(start, this.position);
  }

  skipSpaces(): void {
    while (this.text.charCodeAt(this.position) === 0x20) this.position++;
  }

  skipOptionalWhitespace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (code !== 0x20 && code !== 0x09) return;
      this.position++;
    }
  }
}

const key = /[a-z*][a-z0-9_.*-]*/y;
const token = /[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/y;
const number = /-?[0-9]+(?:\.[0-9]+)?/y;
const string = /"(?:[ !#-[\]-~]|\\["\\])*"/y;
const byteSequence = /:[A-Za-z0-9+/=]*:/y;

function parseField<Value>(text: string, read: (reader: Reader) => Value): Value | undefined {
  const reader = new Reader(text);
  try {
    reader.skipSpaces();
    const value = read(reader);
    reader.skipSpaces();
    return reader.atEnd ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxFailure) return undefined;
    throw error;
  }
}

function readMembers(reader: Reader, readOne: () => void): void {
  if (reader.atEnd) return;
  for (;;) {
    readOne();
    reader.skipOptionalWhitespace();
    if (reader.atEnd) return;
    reader.expect(',');
    reader.skipOptionalWhitespace();
    if (reader.atEnd) throw new SyntaxFailure();
  }
}

function readMember(reader: Reader): Member {
  return reader.next === '(' ? readInnerList(reader) : readItem(reader);
}

function implicitTrue(reader: Reader): Item {
  return { type: 'item', value: { type: 'boolean', value: true }, parameters: readParameters(reader) };
}

function readInnerList(reader: Reader): InnerList {
  reader.expect('(');
  const items: Item[] = [];
  for (;;) {
    reader.skipSpaces();
    if (reader.take(')')) return { type: 'inner-list', items, parameters: readParameters(reader) };
    items.push(readItem(reader));
    if (reader.next !== ' ' && reader.next !== ')') throw new SyntaxFailure();
  }
}

function readItem(reader: Reader): Item {
  return { type: 'item', value: readBareItem(reader), parameters: readParameters(reader) };
}

function readParameters(reader: Reader): Parameters {
  const parameters = new Map<string, BareItem>();
  while (reader.take(';')) {
    reader.skipSpaces();
    const name = readKey(reader);
    parameters.set(name, reader.take('=') ? readBareItem(reader) : { type: 'boolean', value: true });
  }
  return parameters;
}

function readKey(reader: Reader): string {
  return reader.match(key);
}

function readBareItem(reader: Reader): BareItem {
  const first = reader.next;
  if (first === '"') return { type: 'string', value: readString(reader) };
  if (first === ':') return { type: 'bytes', value: readBytes(reader) };
  if (first === '?') return { type: 'boolean', value: readBoolean(reader) };
  if (first === '-' || (first >= '0' && first <= '9')) return readNumber(reader);
  return { type: 'token', value: reader.match(token) };
}

function readString(reader: Reader): string {
  const quoted = reader.match(string).slice(1, -1);
  return quoted.includes('\\') ? quoted.replace(/\\(.)/g, '$1') : quoted;
}

function readBytes(reader: Reader): Uint8Array {
  const bytes = decodeBase64(reader.match(byteSequence).slice(1, -1));
  if (!bytes) throw new SyntaxFailure();
  return bytes;
}

function readBoolean(reader: Reader): boolean {
  reader.expect('?');
  if (reader.take('1')) return true;
  reader.expect('0');
  return false;
}

function readNumber(reader: Reader): BareItem {
  const text = reader.match(number);
  const [whole, fraction] = text.replace('-', '').split('.') as [string, string | undefined];
  if (reader.next === '.') throw new SyntaxFailure();
  if (fraction === undefined) {
    if (whole.length > 15) throw new SyntaxFailure();
    return { type: 'integer', value: Number(text) };
  }
  if (whole.length > 12 || fraction.length > 3) throw new SyntaxFailure();
  return { type: 'decimal', value: Number(text) };
}

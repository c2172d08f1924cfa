import { usageError } from '../exits.ts';
import { readBytes, readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { type EncodedBody, type FormPart, multipartBody } from './multipart.ts';

/** Words after the URL, in HTTPie's syntax, sorted by the part that they add to. */
export interface RequestItems {
  /** `NAME==VALUE`, in order. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** `NAME:VALUE`, as `-H` would accept it. */
  readonly headers: readonly string[];
  readonly body: EncodedBody | undefined;
}

export const itemNote: string =
  'ITEMs add to the request, as in HTTPie: name=text and name:=JSON are members of a JSON body (a[b]=c for a ' +
  'nested one, a[]=c for a list), name=@FILE and name:=@FILE read them from a file, name==value is a query ' +
  'parameter, and Name:value is a header. With --form, they are form fields, and name@FILE uploads a file. A ' +
  'backslash keeps a separator in a name: a\\=b=c. Numbers are sent with exactly the digits you write.';

/** One word, split at its separator. */
export interface RequestItem {
  readonly name: string;
  readonly separator: Separator;
  readonly value: string;
  /** The word itself, for errors. */
  readonly word: string;
}

/** Longest first: `a:=1` is not a header. */
const separators = [':=@', ':=', '=@', '==', '=', '@', ':'] as const;
type Separator = (typeof separators)[number];

/** Reads the items of a command line. Throws a usage error that names the wrong item. */
export async function readItems(
  items: readonly RequestItem[],
  isForm: boolean,
  io: Io,
): Promise<RequestItems> {
  const members = items.filter(({ separator }) => separator !== '==' && separator !== ':');
  const body =
    members.length === 0 ? undefined : isForm ? await formBody(members, io) : await jsonBody(members, io);
  return {
    query: items.filter(({ separator }) => separator === '==').map(({ name, value }) => [name, value]),
    headers: items.filter(({ separator }) => separator === ':').map(({ name, value }) => `${name}: ${value}`),
    body,
  };
}

/** Splits a word at its first separator that no backslash escapes. Throws a usage error. */
export function splitItem(word: string): RequestItem {
  let name = '';
  for (let index = 0; index < word.length; index += 1) {
    const character = word[index]!;
    if (character === '\\' && index + 1 < word.length && /[=:@\\]/.test(word[index + 1]!)) {
      index += 1;
      name += word[index]!;
      continue;
    }
    const rest = word.slice(index);
    const separator = separators.find((one) => rest.startsWith(one));
    if (separator === undefined) {
      name += character;
      continue;
    }
    if (name === '') break;
    return { name, separator, value: rest.slice(separator.length), word };
  }
  throw usageError(
    `"${word}" is not an item: write name=text, name:=JSON, name==value, Name:value or name@FILE. Quote what has ` +
      `spaces or &.`,
  );
}

async function jsonBody(items: readonly RequestItem[], io: Io): Promise<EncodedBody> {
  const members: Members = new Map();
  for (const item of items) {
    if (item.separator === '@')
      throw usageError(
        `"${item.word}" uploads a file, which only a form can: add --form, or write ${item.name}=@${item.value}.`,
      );
    place(members, pathOf(item), await jsonValue(item, io), item);
  }
  return { bytes: Buffer.from(jsonText(members)), contentType: 'application/json' };
}

/** A complete JSON text, never reparsed, so that digits and the order of members stay. */
class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Members = Map<string, Value>;
type Value = RawJson | Members | Value[];

async function jsonValue({ separator, value, word }: RequestItem, io: Io): Promise<RawJson> {
  if (separator === '=') return new RawJson(JSON.stringify(value));
  if (separator === '=@') return new RawJson(JSON.stringify(await readTextFile(io, value, 'file')));
  const text = separator === ':=@' ? await readTextFile(io, value, 'file') : value;
  if (isJson(text)) return new RawJson(text.trim());
  throw usageError(
    `"${word}" needs JSON after :=, like count:=3, on:=true or list:='["a"]'. For a text, write = in place of :=.`,
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** `a[b][]` is the path a, b, and the end of a list. */
function pathOf({ name, word }: RequestItem): string[] {
  const [, first, rest = ''] = /^([^[]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
  if (first === undefined)
    throw usageError(`"${word}" has unbalanced brackets: write a[b]=c, or a[]=c for a list.`);
  return [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, part = '']) => part)];
}

function place(
  members: Members,
  [first = '', ...rest]: readonly string[],
  value: RawJson,
  item: RequestItem,
): void {
  if (rest.length === 0) {
    if (members.has(first)) throw usageError(`"${item.word}" sets ${item.name} a second time.`);
    members.set(first, value);
    return;
  }
  const isList = rest[0] === '';
  const within = members.get(first) ?? (isList ? [] : new Map<string, Value>());
  members.set(first, within);
  if (isList && Array.isArray(within)) {
    if (rest.length > 1)
      throw usageError(`"${item.word}" is nested inside a list: pass the whole list with :=.`);
    within.push(value);
  } else if (!isList && within instanceof Map) place(within, rest, value, item);
  else throw usageError(`"${item.word}" conflicts with an earlier value of ${first}.`);
}

function jsonText(value: Value): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  return `{${[...value].map(([name, one]) => `${JSON.stringify(name)}:${jsonText(one)}`).join(',')}}`;
}

async function formBody(items: readonly RequestItem[], io: Io): Promise<EncodedBody> {
  const parts: FormPart[] = [];
  for (const item of items) {
    const { name, separator, value, word } = item;
    if (separator === ':=' || separator === ':=@')
      throw usageError(`"${word}" is JSON, but a form takes only text: use = instead of :=.`);
    if (separator === '@') parts.push({ name, file: value, bytes: await readBytes(io, value, 'file') });
    else if (separator === '=@') parts.push({ name, bytes: await readBytes(io, value, 'file') });
    else parts.push({ name, bytes: Buffer.from(value) });
  }
  if (parts.some(({ file }) => file !== undefined)) return multipartBody(parts);
  const fields = new URLSearchParams(
    parts.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('utf8')]),
  );
  return { bytes: Buffer.from(fields.toString()), contentType: 'application/x-www-form-urlencoded' };
}

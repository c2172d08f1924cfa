import {
  bodyMembersMax,
  objectMembersMax,
  openApiDocument,
  type OperationId,
  operations,
} from '@countersign/contract';
import { hostileTexts } from './hostile-texts.ts';

interface HostileBody {
  readonly what: string;
  readonly text: () => string;
}

/** The parts of a JSON Schema that are used. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

/**
 * The bodies of an operation, as long as it accepts them: texts that are hard to read as JSON, and a valid
 * body in which each member is in turn the longest text, the longest list, or the largest object.
 *
 * @param good a valid body; undefined if the operation takes none
 */
export function hostileBodies(id: OperationId, good: unknown): readonly HostileBody[] {
  const { body, takesLargeBodies, takesAnything } = operations[id];
  if (body === undefined)
    return takesAnything ? [{ what: 'a body of 500 KiB', text: () => ' '.repeat(512_000) }] : [];
  const characters = takesLargeBodies === true ? 1_000_000 : 512_000;
  const membersMax = operations[id].bodyMembersMax ?? bodyMembersMax;
  const base = typeof good === 'object' && good !== null ? good : {};
  return [
    ...hardToRead(characters, Math.min(membersMax, Math.floor(characters / 16))),
    ...placesIn(schemas[body] ?? {}, []).flatMap((place) => worstValues(place, base, characters)),
  ];
}

const schemas = openApiDocument({ serverUrls: [] }).components.schemas as Readonly<Record<string, Schema>>;

/** Inputs that are hard for the JSON reader or the schema library. */
function hardToRead(characters: number, members: number): readonly HostileBody[] {
  const filled = (part: string): string => part.repeat(Math.floor(characters / part.length));
  const each = (make: (index: number) => string, room: number): string =>
    Array.from({ length: Math.min(members - 10, room) }, (_, index) => make(index)).join(',');
  return [
    { what: 'brackets', text: () => filled('[') },
    { what: 'white space', text: () => `${' '.repeat(characters - 2)}{}` },
    { what: 'one long name', text: () => `{"${'x'.repeat(characters - 8)}":0}` },
    { what: 'one long name of escapes', text: () => `{"${filled('\\u0061').slice(0, -12)}":0}` },
    { what: 'a text of escapes', text: () => `{"name":"${filled('\\"').slice(0, -20)}"}` },
    { what: 'digits', text: () => `{"name":${filled('1').slice(0, -20)}}` },
    { what: 'unknown members', text: () => `{${each((index) => `"m${index}":${index}`, objectMembersMax)}}` },
    {
      what: 'unknown members with long names',
      text: () => {
        const count = Math.min(objectMembersMax, Math.floor(characters / 600));
        return `{${Array.from({ length: count }, (_, index) => `"${String(index).padEnd(580, '~/')}":0`).join(',')}}`;
      },
    },
    { what: 'members named __proto__', text: () => `[${each(() => '{"__proto__":0}', members / 2 - 10)}]` },
    { what: 'objects with a kty', text: () => `[${each(() => '{"kty":{"n":"AA"}}', members / 3 - 10)}]` },
    {
      what: 'sixteen levels',
      text: () => `[${each(() => `${'{"a":'.repeat(14)}0${'}'.repeat(14)}`, members / 15 - 10)}]`,
    },
    {
      what: 'long names at sixteen levels',
      text: () => {
        const name = '~'.repeat(Math.floor(characters / 40));
        return `${`{"${name}":`.repeat(15)}1.5${'}'.repeat(15)}`;
      },
    },
    {
      what: 'long texts that could be keys',
      text: () => JSON.stringify(Array.from({ length: 10 }, () => 'MIIB'.repeat(characters / 44))),
    },
    {
      what: 'texts that could be keys',
      text: () =>
        JSON.stringify(
          Array.from({ length: Math.min(members - 10, characters / 160) }, () => 'MIIB'.repeat(38)),
        ),
    },
  ];
}

/** A member somewhere in a body. */
interface Place {
  readonly path: readonly string[];
  readonly schema: Schema;
}

const levelsMax = 3;

function placesIn(schema: Schema, path: readonly string[]): readonly Place[] {
  const { properties = {}, items } = resolved(schema);
  const own = path.length === 0 ? [] : [{ path, schema: resolved(schema) }];
  if (path.length >= levelsMax) return own;
  const members = Object.entries(properties).flatMap(([name, member]) => placesIn(member, [...path, name]));
  return [...own, ...members, ...(items === undefined ? [] : placesIn(items, [...path, '0']))];
}

function resolved(schema: Schema): Schema {
  if (schema.$ref !== undefined) return resolved(schemas[schema.$ref.split('/').at(-1)!] ?? {});
  const chosen = schema.anyOf?.find(({ type }) => type !== 'null');
  return chosen === undefined ? schema : resolved(chosen);
}

function worstValues({ path, schema }: Place, base: object, characters: number): readonly HostileBody[] {
  const at = path.join('.');
  const withValue = (value: unknown): string => JSON.stringify(withMember(base, path, value));
  const room = characters - 20_000;
  const texts = hostileTexts.map(({ what, ofLength }) => ({
    what: `${at}: ${what}`,
    text: () => withValue(fitting(ofLength(room), room)),
  }));
  const isList = schema.type === 'array';
  const lists = [
    { what: `${at}: a list of numbers`, text: () => withValue(Array.from({ length: 9000 }, () => 1)) },
    {
      what: `${at}: a list of empty objects`,
      text: () => withValue(Array.from({ length: 4500 }, () => ({}))),
    },
    {
      what: `${at}: a list of different texts`,
      text: () => withValue(Array.from({ length: 9000 }, (_, index) => `text-${index}`)),
    },
    ...(isList ? fullLists(at, valueAt(base, path), withValue) : []),
  ];
  const objects = [
    {
      what: `${at}: an object of many members`,
      text: () => withValue(objectOf(objectMembersMax)),
    },
    {
      what: `${at}: a list of objects of many members`,
      text: () => withValue(Array.from({ length: 9 }, () => objectOf(objectMembersMax - 10))),
    },
  ];
  if (schema.type === 'object') return [...objects, texts[0]!];
  return isList ? lists : [...texts, ...lists.slice(0, 1), ...objects];
}

function objectOf(members: number): object {
  return Object.fromEntries(Array.from({ length: members }, (_, index) => [`m${index}`, index]));
}

/** The valid element of a list, many times. */
function fullLists(
  at: string,
  value: unknown,
  withValue: (value: unknown) => string,
): readonly HostileBody[] {
  const [element] = Array.isArray(value) ? (value as unknown[]) : [];
  if (element === undefined) return [];
  const each = 1 + JSON.stringify(element).split(',').length;
  return [
    {
      what: `${at}: its element many times`,
      text: () => withValue(Array.from({ length: Math.floor(9000 / each) }, () => element)),
    },
  ];
}

/** Bytes count, not characters, and JSON writes some characters with two or more. */
function fitting(text: string, bytesMax: number): string {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  return bytes <= bytesMax ? text : text.slice(0, Math.floor((text.length * bytesMax) / bytes));
}

function valueAt(base: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], base);
}

function withMember(base: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (name === '0') {
    const [first, ...others] = Array.isArray(base) ? (base as unknown[]) : [{}];
    return [withMember(first, rest, value), ...others];
  }
  const members = typeof base === 'object' && base !== null ? (base as Record<string, unknown>) : {};
  return { ...members, [name]: withMember(members[name], rest, value) };
}

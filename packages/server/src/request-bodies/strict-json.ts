import { bodyMembersMax, objectMembersMax } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';

/** One fault in a body: its place, as a JSON Pointer (RFC 6901), and what to do about it. */
export interface BodyFault {
  readonly pointer: string;
  readonly detail: string;
}

/** The result of reading a body: the value, or the first fault. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: BodyFault };

/**
 * Reads JSON (RFC 8259) so strictly that two parsers cannot disagree about it.
 *
 * Also rejects bytes that are not UTF-8, a byte order mark, a duplicate member name in an object (parsers take
 * the first, the last or both), numbers other than integers of at most 15 digits (parsers round them), more
 * than 16 levels, more than `membersMax` members and items, because comparing them with a schema takes long,
 * and more than 1,000 members in one object, because a schema compares them all at once.
 */
export function readJson(bytes: Uint8Array, membersMax: number = bodyMembersMax): JsonReading {
  const steps = readInSteps(bytes, membersMax);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Reads JSON in the same way, but lets the event loop continue after each 8 KiB. */
export async function readJsonInTurns(bytes: Uint8Array, membersMax: number): Promise<JsonReading> {
  const steps = readInSteps(bytes, membersMax);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextLoopTurn('bodies');
  }
}

function* readInSteps(bytes: Uint8Array, membersMax: number): Generator<undefined, JsonReading> {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return reject('', 'Send the body in UTF-8.');
  }
  const fault = yield* new StructureReader(text, membersMax).findFault();
  if (fault !== undefined) return { ok: false, fault };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return reject('', 'Send the body as JSON: this text is not JSON.');
  }
  // The following step, such as a schema, takes long too.
  if (text.length > stepCharacters) yield;
  return { ok: true, value };
}

/** Extends a pointer by a member. Truncates a very long name, so that it cannot inflate the response. */
export function pointerTo(pointer: string, member: string | number): string {
  const name = String(member);
  const short = name.length > nameCharactersShown ? `${name.slice(0, nameCharactersShown)}...` : name;
  return `${pointer}/${short.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const levelsMax = 16;
/** The number of characters scanned in one step. */
const stepCharacters = 8192;
const nameCharactersShown = 64;
// Keeps a byte order mark, which then is not valid JSON.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function reject(pointer: string, detail: string): JsonReading {
  return { ok: false, fault: { pointer, detail } };
}

/** An object or array that is open at the current position. */
interface Level {
  readonly pointer: string;
  /** The names so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  isNameNext: boolean;
  /** The name or index of the next value. */
  member: string | number;
}

/**
 * Scans a text once for faults that JSON.parse accepts. It does not check the grammar: on invalid JSON it may
 * or may not find a fault, and JSON.parse decides.
 */
class StructureReader {
  readonly #text: string;
  readonly #membersMax: number;
  readonly #levels: Level[] = [];
  #position = 0;
  /** Counts one for each opened object or array, and one for each comma. */
  #members = 0;

  constructor(text: string, membersMax: number) {
    this.#text = text;
    this.#membersMax = membersMax;
  }

  *findFault(): Generator<undefined, BodyFault | undefined> {
    let stepEnd = stepCharacters;
    while (this.#position < this.#text.length) {
      if (this.#position >= stepEnd) {
        yield;
        stepEnd = this.#position + stepCharacters;
      }
      const fault = this.#readToken(this.#text.charAt(this.#position));
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #readToken(character: string): BodyFault | undefined {
    const level = this.#levels.at(-1);
    if (character === '"') return this.#readString(level);
    if (character === '-' || (character >= '0' && character <= '9')) return this.#readNumber();
    this.#position += 1;
    if ('{[,'.includes(character) && ++this.#members > this.#membersMax)
      return {
        pointer: '',
        detail: `Send at most ${this.#membersMax} members and items in all objects and arrays together.`,
      };
    if (character === '{' || character === '[') return this.#open(character === '{');
    if (character === '}' || character === ']') this.#levels.pop();
    else if (character === ',' && level !== undefined) {
      level.isNameNext = level.names !== undefined;
      if (typeof level.member === 'number') level.member += 1;
    }
    return undefined;
  }

  #open(isObject: boolean): BodyFault | undefined {
    const pointer = this.#pointer();
    this.#levels.push({
      pointer,
      names: isObject ? new Set() : undefined,
      isNameNext: isObject,
      member: isObject ? '' : 0,
    });
    if (this.#levels.length <= levelsMax) return undefined;
    return { pointer, detail: `Send at most ${levelsMax} levels of objects and arrays.` };
  }

  #readString(level: Level | undefined): BodyFault | undefined {
    const start = this.#position;
    let end = start + 1;
    while (end < this.#text.length && this.#text.charAt(end) !== '"') {
      end += this.#text.charAt(end) === '\\' ? 2 : 1;
    }
    this.#position = end + 1;
    if (level?.names === undefined || !level.isNameNext) return undefined;
    const name = readName(this.#text.slice(start, this.#position));
    level.isNameNext = false;
    level.member = name;
    if (level.names.has(name)) return { pointer: this.#pointer(), detail: 'Send this member once.' };
    level.names.add(name);
    if (level.names.size > objectMembersMax)
      return { pointer: level.pointer, detail: `Send at most ${objectMembersMax} members in one object.` };
    return undefined;
  }

  #readNumber(): BodyFault | undefined {
    const start = this.#position;
    while (
      this.#position < this.#text.length &&
      '+-.0123456789eE'.includes(this.#text.charAt(this.#position))
    ) {
      this.#position += 1;
    }
    if (/^-?[0-9]{1,15}$/.test(this.#text.slice(start, this.#position))) return undefined;
    return {
      pointer: this.#pointer(),
      detail: 'Write a whole number of at most 15 digits, with digits only.',
    };
  }

  /** The position of the current value. */
  #pointer(): string {
    const level = this.#levels.at(-1);
    return level === undefined ? '' : pointerTo(level.pointer, level.member);
  }
}

/** Decodes the name in a string token, so that `"a"` and `"\u0061"` are equal. */
function readName(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

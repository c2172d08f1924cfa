/**
 * Checks the types of callers' arguments. JavaScript lets a wrong value through: a body without a length
 * looks empty, and every comparison with NaN is false. So a wrong type throws a TypeError that names the
 * argument.
 */

/** The accepted types of a body's bytes. */
export type BytesLike = Uint8Array | ArrayBuffer | DataView;

/** Returns the bytes of a body, without copying them; undefined if the value is undefined or null. */
export function bytesOf(value: unknown, name: string): Uint8Array<ArrayBuffer> | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof Uint8Array) return value as Uint8Array<ArrayBuffer>;
  // Not `instanceof`: test runners and frames have their own classes.
  if (isByteView(value))
    return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
  if (isArrayBuffer(value)) return new Uint8Array(value);
  throw wrongBytes(name, value);
}

/** @throws TypeError if the value is no bytes */
export function givenBytes(value: unknown, name: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(value, name);
  if (bytes === undefined) throw wrongBytes(name, value);
  return bytes;
}

function wrongBytes(name: string, value: unknown): TypeError {
  return wrongType(name, value, 'bytes: a Uint8Array, an ArrayBuffer or a DataView');
}

/** Views of larger numbers are rejected: their byte order depends on the machine. */
function isByteView(value: unknown): value is ArrayBufferView {
  return ArrayBuffer.isView(value) && (!('BYTES_PER_ELEMENT' in value) || value.BYTES_PER_ELEMENT === 1);
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  try {
    // The getter throws for everything that is not an ArrayBuffer, in any realm.
    Reflect.get(ArrayBuffer.prototype, 'byteLength', value);
    return true;
  } catch {
    return false;
  }
}

/** @throws TypeError if the value is no object */
export function checkObject(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null) throw wrongType(name, value, 'an object');
}

/** @throws TypeError if the value is no string */
export function checkText(value: unknown, name: string): void {
  if (typeof value !== 'string') throw wrongType(name, value, 'a string');
}

/** @throws TypeError if the value is neither undefined nor a function */
export function checkOptionalFunction(value: unknown, name: string): void {
  if (value !== undefined && typeof value !== 'function') throw wrongType(name, value, 'a function');
}

/** @throws TypeError if the value is neither undefined nor a boolean */
export function checkOptionalBoolean(value: unknown, name: string): void {
  if (value !== undefined && typeof value !== 'boolean') throw wrongType(name, value, 'true or false');
}

/** @throws TypeError if the value is no finite number */
export function checkNumber(value: unknown, name: string): void {
  if (!Number.isFinite(value)) throw wrongType(name, value, 'a finite number');
}

/** @throws TypeError if the value is not one of these words */
export function checkWord(value: unknown, name: string, words: readonly string[]): void {
  if (typeof value !== 'string' || !words.includes(value))
    throw wrongType(name, value, `one of ${words.map((word) => JSON.stringify(word)).join(', ')}`);
}

/** States the expected type of an argument and the kind of value it got. Repeats no text, which could be a secret. */
export function wrongType(name: string, value: unknown, wanted: string): TypeError {
  return new TypeError(`${name} must be ${wanted}; it is ${kindOf(value)}.`);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number') return String(value);
  return Object.prototype.toString.call(value).slice(8, -1);
}

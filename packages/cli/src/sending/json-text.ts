/** A JSON text that was read: its value, in which numbers keep their digits. */
export interface JsonReading {
  readonly value: unknown;
}

/**
 * Reads the JSON of an answer for showing it again. Numbers stay as they were written: a parser would round long ones,
 * and amounts and ids must not change on their way to the screen. Undefined when the bytes are no JSON in UTF-8.
 */
export function readJson(bytes: Uint8Array): JsonReading | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { value: JSON.parse(text, keepDigits) };
  } catch {
    return undefined;
  }
}

/** The member of a JSON object with this name if it is a text. */
export function textMember(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const member = (value as Readonly<Record<string, unknown>>)[name];
  return typeof member === 'string' ? member : undefined;
}

/** ECMAScript 2025, "JSON.parse source text access"; not in the type library yet. */
const rawJson = (JSON as { readonly rawJSON?: (text: string) => unknown }).rawJSON;

function keepDigits(
  this: unknown,
  _name: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  if (typeof value !== 'number' || rawJson === undefined || context?.source === undefined) return value;
  return rawJson(context.source);
}

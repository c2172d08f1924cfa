export interface AnswerJson {
  readonly value: unknown;
}

/**
 * Reads a response's JSON for display. Numbers keep their digits: a parser would round long ones, and amounts
 * and ids must not change on their way to the screen. Undefined if the bytes are not JSON in UTF-8.
 */
export function readAnswerJson(bytes: Uint8Array): AnswerJson | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { value: JSON.parse(text, keepDigits) };
  } catch {
    return undefined;
  }
}

/** Returns a member of a JSON object if it is a string. */
export function textMember(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const member = (value as Readonly<Record<string, unknown>>)[name];
  return typeof member === 'string' ? member : undefined;
}

/** ECMAScript 2025, "JSON.parse source text access"; not in TypeScript's library yet. */
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

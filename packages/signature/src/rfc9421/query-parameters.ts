/** The values of each query parameter by its name, both encoded as a signature base has them, in order. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a query's parameters (RFC 9421 section 2.2.8).
 *
 * @param query with or without its `?`
 * @returns undefined if the query holds bytes that are not UTF-8: different ones would look the same
 */
export function readQueryParameters(query: string): QueryParameters | undefined {
  const values = new Map<string, string[]>();
  for (const pair of query.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const end = pair.indexOf('=');
    const name = encodedParameter(end < 0 ? pair : pair.slice(0, end));
    const value = encodedParameter(end < 0 ? '' : pair.slice(end + 1));
    if (name === undefined || value === undefined) return undefined;
    const earlier = values.get(name);
    if (earlier) earlier.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/**
 * Decodes a name or value of a form (WHATWG URL, section 5.1), and encodes it again without `+` for spaces; undefined if it
 * is not UTF-8.
 */
export function encodedParameter(text: string): string | undefined {
  if (/^[\w*.-]*$/.test(text)) return text;
  const bytes = new TextEncoder().encode(text.replaceAll('+', ' '));
  const decoded = new Uint8Array(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index++) {
    const hex = bytes[index] === percentSign ? hexPair(bytes[index + 1], bytes[index + 2]) : undefined;
    decoded[length++] = hex ?? bytes[index]!;
    if (hex !== undefined) index += 2;
  }
  try {
    return encode(utf8.decode(decoded.subarray(0, length)));
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const percentSign = 0x25;

function hexPair(first: number | undefined, second: number | undefined): number | undefined {
  const high = hexDigits.indexOf(String.fromCharCode(first ?? 0).toLowerCase());
  const low = hexDigits.indexOf(String.fromCharCode(second ?? 0).toLowerCase());
  return high < 0 || low < 0 ? undefined : high * 16 + low;
}

const hexDigits = '0123456789abcdef';

/** Encodes everything except for letters, digits and `*-._` (the form's percent-encode set). */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

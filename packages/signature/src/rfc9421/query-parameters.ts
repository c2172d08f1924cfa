/**
 * Returns the values of a named query parameter, encoded as a signature base has them (RFC 9421 section 2.2.8), in order.
 *
 * @param query a target URI's query, with or without its `?`
 * @param name the parameter's name, encoded in the same way
 * @returns undefined if the query holds bytes that are not UTF-8: different ones would look the same
 */
export function queryParameterValues(query: string, name: string): readonly string[] | undefined {
  const values: string[] = [];
  for (const pair of query.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const end = pair.indexOf('=');
    const found = reencoded(end < 0 ? pair : pair.slice(0, end));
    const value = reencoded(end < 0 ? '' : pair.slice(end + 1));
    if (found === undefined || value === undefined) return undefined;
    if (found === name) values.push(value);
  }
  return values;
}

/** Decodes a name or value of a form (WHATWG URL, section 5.1), and encodes it again without `+` for spaces. */
function reencoded(text: string): string | undefined {
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
  const text = String.fromCharCode(first ?? 0, second ?? 0);
  return /^[0-9A-Fa-f]{2}$/.test(text) ? Number.parseInt(text, 16) : undefined;
}

/** Encodes everything except for letters, digits and `*-._` (the form's percent-encode set). */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

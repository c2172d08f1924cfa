/**
 * Resolves the escapes in which mail programs, browsers, shells and JSON wrap a text, up to three times, and
 * writes every dash as a hyphen. Use the result only for searching: text that is not an escape may change
 * too.
 */
export function unescapedText(text: string): string {
  let resolved = text;
  for (let round = 0; round < roundsMax; round++) {
    const before = resolved;
    resolved = before.replace(escapes, resolve);
    if (resolved === before) break;
  }
  return resolved.replace(dashes, '-');
}

const roundsMax = 3;

/**
 * The escapes of JSON and JavaScript, URLs, HTML and XML, and those of quoted-printable that do not look like
 * the value after an equals sign.
 */
const escapes =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x0{0,4}([0-9a-f]{1,4});|&#0{0,4}(\d{1,5});|&([a-z]{2,6});|=(2D|20|3D|0A|0D)/gi;

/** The hyphens, dashes and minus signs of Unicode; soft hyphens too. */
const dashes = /[\u00AD\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g;

function resolve(escape: string, ...groups: readonly (string | undefined)[]): string {
  const [json, script, url, hexadecimal, decimal, name, quoted] = groups;
  if (name !== undefined) return namedCharacters.get(name.toLowerCase()) ?? escape;
  const code = json ?? script ?? url ?? hexadecimal ?? quoted;
  return String.fromCharCode(code === undefined ? Number(decimal) : Number.parseInt(code, 16));
}

const namedCharacters: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['dash', '-'],
  ['equals', '='],
  ['gt', '>'],
  ['horbar', '-'],
  ['hyphen', '-'],
  ['lt', '<'],
  ['mdash', '-'],
  ['minus', '-'],
  ['nbsp', ' '],
  ['ndash', '-'],
  ['plus', '+'],
  ['quot', '"'],
  ['shy', '-'],
  ['sol', '/'],
]);

import { type Alternative, alternative } from '../drafts/alternatives.ts';
import { type JsonNode, type JsonWriting, nodesOf } from './json-text.ts';

/** Characters that serializers write in two ways: literally or short, or as \u and their code. */
const characterKinds: readonly (readonly [name: string, set: string])[] = [
  ['slashes', '/'],
  ['letters outside ASCII', '\\xa0-\\u1fff\\u2100-\\ud7ff\\ue000-\\uffff'],
  // json-simple, json-smart and org.json escape only this block, because it contains U+2028 and U+2029.
  ['characters from U+2000 to U+20FF', '\\u2000-\\u2027\\u202a-\\u20ff'],
  ['characters beyond U+FFFF', '\\ud800-\\udfff'],
  ['<, > and &', '<>&'],
  ['apostrophes', "'"],
  ['U+2028 and U+2029', '\\u2028\\u2029'],
  ['controls from U+007F to U+009F', '\\x7f-\\x9f'],
  ['double quotes', '"'],
  ['= signs', '='],
  ['+ signs', '+'],
  ['backticks', '`'],
  ['line breaks and tabs', '\\n\\r\\t\\b\\f'],
];

/**
 * Lists every way in which a serializer may escape the strings of a document, for each kind of character in
 * it that serializers treat differently. No table of libraries could be complete.
 */
export function escapedForms(json: JsonNode): readonly Alternative<JsonWriting['string']>[] {
  const text = stringsOf(json).join('');
  const present = characterKinds.filter(([, set]) => new RegExp(`[${set}]`).test(text)).slice(0, kindsMax);
  const cases = present.length > 0 || /[\x00-\x1f]/.test(text) ? [false, true] : [];
  const ofPresent = Array.from({ length: 2 ** present.length }, (_, bits) => {
    const escaped = present.filter((_kind, index) => bits & (1 << index));
    const detail =
      escaped.length === 0
        ? 'with no more escapes than needed'
        : `with ${escaped.map(([name]) => name).join(', ')} escaped`;
    const set = escaped.map(([, characters]) => characters).join('');
    return cases.map((isUpper) => alternative('body_json_escapes', detail, 2.5, writer(set, isUpper)));
  }).flat();
  return /[\x00-\x1f]/.test(text) ? [...ofPresent, rawControls] : ofPresent;
}

const rawControls = alternative<JsonWriting['string']>(
  'body_json_escapes',
  'with its control characters as they are, which JSON does not allow',
  3,
  ({ value }) =>
    JSON.stringify(value).replace(
      /\\(?:u00[01][\da-f]|[nrtbf])/g,
      (form) => JSON.parse(`"${form}"`) as string,
    ),
);

/** Escapes the control characters in the strings of a text that is otherwise JSON. */
export function escapedControls(text: string): string {
  // A string without an end extends to the end of the text. Otherwise each quote in it would start another search.
  return text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, (quoted) =>
    quoted.replace(/[\x00-\x1f]/g, (character) => JSON.stringify(character).slice(1, -1)),
  );
}

/** At most 128 forms. */
const kindsMax = 6;

/** The strings of a document, and the names of its members. */
function stringsOf(json: JsonNode): readonly string[] {
  return nodesOf(json).flatMap((node) => {
    if (node.kind === 'string') return [node.value];
    return node.kind === 'object' ? node.members.map(({ name }) => name.value) : [];
  });
}

function writer(set: string, isUpper: boolean): JsonWriting['string'] {
  const wanted = set === '' ? /(?!)/ : new RegExp(`[${set}]`);
  const pieces = new RegExp(String.raw`\\u[0-9a-f]{4}|\\.${set === '' ? '' : `|(?!")[${set}]`}`, 'g');
  return ({ value }) =>
    JSON.stringify(value).replace(pieces, (form) => {
      if (form.startsWith('\\u')) return isUpper ? `\\u${form.slice(2).toUpperCase()}` : form;
      const unit = form.length === 1 ? form : (shortForms[form] ?? '');
      if (unit === '/') return '\\/';
      if (!wanted.test(unit)) return form;
      const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
      return `\\u${isUpper ? code.toUpperCase() : code}`;
    });
}

/** The characters that JSON.stringify escapes with a letter. */
const shortForms: Readonly<Record<string, string>> = {
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\b': '\b',
  '\\f': '\f',
  '\\"': '"',
};

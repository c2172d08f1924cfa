import { decodeDocument, type DocumentProblem, type ParsedDocument } from './document-text.ts';
import { parseJson } from './json-document.ts';
import { parseYaml } from './yaml-document.ts';

/**
 * Parses a document as JSON if it is JSON, otherwise as YAML, which takes a hundred times as long.
 *
 * @returns the document, or its problems
 */
export function parseDocument(bytes: Uint8Array): ParsedDocument | readonly DocumentProblem[] {
  const text = decodeDocument(bytes);
  if (typeof text !== 'string') return [text];
  if (!/^[ \t\r\n]*[[{]/.test(text)) return parseYaml(text);
  const json = parseJson(text);
  if ('value' in json) return json;
  // YAML can start with a brace too.
  const yaml = parseYaml(text);
  return 'value' in yaml ? yaml : [json];
}

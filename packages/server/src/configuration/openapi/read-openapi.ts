import { readFileSync } from 'node:fs';
import { type OpenApiOptions, type RouteRule, routesOfOpenApi } from '@countersign/gate';
import type { DocumentProblem, Place } from './document-text.ts';
import { parseDocument } from './parse-document.ts';

/** A request to read an OpenAPI document, as plain data, so that another thread can handle it. */
export interface DocumentRequest {
  readonly file: string;
  /** The upstream that serves the API; undefined if only authorizers use the routes. */
  readonly upstream: string | undefined;
  readonly options: OpenApiOptions;
}

/** The result of reading a document, as plain data. */
export interface DocumentReport {
  readonly rules: readonly { readonly rule: RouteRule; readonly place: Place }[];
  readonly mistakes: readonly DocumentProblem[];
  readonly warnings: readonly DocumentProblem[];
}

/** Reads an OpenAPI document. */
export type DocumentReader = (request: DocumentRequest) => DocumentReport;

/** Reads an OpenAPI document from its file, in this thread. */
export const readOpenApiFile: DocumentReader = ({ file, upstream, options }) => {
  const bytes = readBytes(file);
  const parsed = typeof bytes === 'string' ? [{ place: undefined, message: bytes }] : parseDocument(bytes);
  if (!('value' in parsed)) return { rules: [], mistakes: parsed, warnings: [] };
  const { rules, findings } = routesOfOpenApi(parsed.value, upstream, options);
  const placed = (severity: 'mistake' | 'warning'): readonly DocumentProblem[] =>
    findings
      .filter((finding) => finding.severity === severity)
      .map(({ at, message }) => ({ place: parsed.placeOf(at), message }));
  return {
    rules: rules.map(({ rule, at }) => ({ rule, place: parsed.placeOf(at) })),
    mistakes: placed('mistake'),
    warnings: placed('warning'),
  };
};

/** Reads a file; returns a text if it cannot be read. */
function readBytes(file: string): Buffer | string {
  if (/^[a-z]+:\/\//i.test(file)) return 'must be a file and not a URL: download the document first';
  try {
    return readFileSync(file);
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

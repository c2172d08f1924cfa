import type { CandidateKey } from '@countersign/explain';
import type { DebugRequest, DebugSource } from './debug-request.ts';

/** What the form holds. None of it is kept anywhere but in the memory of the page. */
export interface DebugForm {
  readonly given: 'text' | 'fields';
  readonly text: string;
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined;
  readonly entry: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly hasBody: boolean;
  readonly body: string;
  readonly keyFrom: 'client' | 'pasted' | 'none';
  readonly clientId: string | undefined;
  readonly publicKey: string;
  readonly clock: 'signed' | 'now' | 'at';
  /** RFC 3339. */
  readonly at: string | undefined;
  readonly baseUrl: string;
  readonly claimedBase: string;
  readonly acceptWithoutDate: boolean;
}

/** A form in which nothing is given yet. */
export function emptyDebugForm(baseUrl: string): DebugForm {
  return {
    given: 'text',
    text: '',
    file: undefined,
    entry: undefined,
    method: 'POST',
    url: '',
    headers: '',
    hasBody: false,
    body: '',
    keyFrom: 'client',
    clientId: undefined,
    publicKey: '',
    clock: 'signed',
    at: undefined,
    baseUrl,
    claimedBase: '',
    acceptWithoutDate: false,
  };
}

/** Fields of the form in which something is missing. */
export type DebugFormField = 'request' | 'method' | 'url' | 'publicKey' | 'at';

/** What is missing before it can be explained. */
export function missingFields(
  form: DebugForm,
  candidates: readonly CandidateKey[],
): readonly DebugFormField[] {
  const missing: DebugFormField[] = [];
  if (form.given === 'text' && form.file === undefined && form.text.trim() === '') missing.push('request');
  if (form.given === 'fields' && form.method.trim() === '') missing.push('method');
  if (form.given === 'fields' && form.url.trim() === '') missing.push('url');
  if (form.keyFrom === 'pasted' && candidates.length === 0) missing.push('publicKey');
  if (form.clock === 'at' && form.at === undefined) missing.push('at');
  return missing;
}

/** What the worker is given. */
export function debugRequestOf(form: DebugForm, candidates: readonly CandidateKey[]): DebugRequest {
  return {
    source: sourceOf(form),
    body: form.hasBody ? form.body : undefined,
    candidates,
    baseUrls: form.baseUrl.trim() === '' ? [] : [form.baseUrl.trim()],
    clock:
      form.clock === 'at' && form.at !== undefined
        ? { kind: 'at', seconds: Math.floor(Date.parse(form.at) / 1000) }
        : { kind: form.clock === 'now' ? 'now' : 'signed' },
    claimedBase: form.claimedBase === '' ? undefined : form.claimedBase,
    acceptWithoutDate: form.acceptWithoutDate,
  };
}

function sourceOf(form: DebugForm): DebugSource {
  const { given, text, file, entry, method, url, headers } = form;
  if (given === 'fields') {
    const lines = headers.split(/\r?\n/).filter((line) => line.trim() !== '');
    return { kind: 'fields', method: method.trim(), url: url.trim(), headers: lines };
  }
  return file ? { kind: 'bytes', bytes: file.bytes, entry } : { kind: 'text', text, entry };
}

import type { CandidateKey } from '@countersign/explain';
import type { DebugRequest, DebugRules, DebugSource } from './debug-request.ts';

/** The values of the form. They stay in the memory of the page. */
export interface DebugForm {
  readonly given: 'text' | 'fields';
  readonly text: string;
  readonly file: File | undefined;
  /** The request of an archive, by its number. */
  readonly entry: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly hasBody: boolean;
  readonly body: string;
  /** The same request before it was sent to the service. */
  readonly sent: string;
  readonly keyFrom: 'client' | 'pasted' | 'none';
  readonly clientId: string | undefined;
  readonly publicKey: string;
  readonly clock: 'signed' | 'now' | 'at';
  /** RFC 3339. */
  readonly at: string | undefined;
  readonly baseUrl: string;
  readonly claimedBase: string;
  /** The name of the profile to judge by; undefined for the client's. */
  readonly profile: string | undefined;
}

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
    sent: '',
    keyFrom: 'client',
    clientId: undefined,
    publicKey: '',
    clock: 'signed',
    at: undefined,
    baseUrl,
    claimedBase: '',
    profile: undefined,
  };
}

type DebugField = 'text' | 'method' | 'url' | 'publicKey' | 'at' | 'profile';

/** Returns the fields that are missing before the request can be explained. */
export function missingFields(
  form: DebugForm,
  candidates: readonly CandidateKey[],
  isProfileRejected: boolean,
): readonly DebugField[] {
  const isText = form.given === 'text';
  const isMissing: Readonly<Record<DebugField, boolean>> = {
    text: isText && form.file === undefined && form.text.trim() === '',
    method: !isText && form.method.trim() === '',
    url: !isText && form.url.trim() === '',
    publicKey: form.keyFrom === 'pasted' && candidates.length === 0,
    at: form.clock === 'at' && form.at === undefined,
    profile: isProfileRejected,
  };
  return (Object.keys(isMissing) as DebugField[]).filter((field) => isMissing[field]);
}

/** Returns true if two versions of the form have the same input. */
export function isSameInput(one: DebugForm, other: DebugForm): boolean {
  return (Object.keys(one) as (keyof DebugForm)[]).every((name) => one[name] === other[name]);
}

/** Builds the request for the worker. */
export async function debugRequestOf(
  form: DebugForm,
  candidates: readonly CandidateKey[],
  rules: DebugRules,
): Promise<DebugRequest> {
  return {
    source: await sourceOf(form),
    body: form.hasBody ? form.body : undefined,
    sent: form.sent.trim() === '' ? undefined : form.sent,
    candidates,
    baseUrls: form.baseUrl.trim() === '' ? [] : [form.baseUrl.trim()],
    clock:
      form.clock === 'at' && form.at !== undefined
        ? { kind: 'at', seconds: Math.floor(Date.parse(form.at) / 1000) }
        : { kind: form.clock === 'now' ? 'now' : 'signed' },
    claimedBase: form.claimedBase === '' ? undefined : form.claimedBase,
    ...rules,
  };
}

async function sourceOf(form: DebugForm): Promise<DebugSource> {
  const { given, text, file, entry, method, url, headers } = form;
  if (given === 'fields') {
    const lines = headers.split(/\r?\n/).filter((line) => line.trim() !== '');
    return { kind: 'fields', method: method.trim(), url: url.trim(), headers: lines };
  }
  if (file === undefined) return { kind: 'text', text, entry };
  return { kind: 'bytes', bytes: new Uint8Array(await file.arrayBuffer()), entry };
}

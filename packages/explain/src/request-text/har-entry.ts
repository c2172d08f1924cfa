import { decodeBase64, readHttpDate } from '@countersign/signature';
import { utf8Bytes } from '../byte-text.ts';
import { headerValues, type PastedRequest } from './pasted-request.ts';
import { RequestTextError } from './request-text-error.ts';

/** Returns true if a text may be JSON, which neither a request nor a command line is. */
export function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/**
 * Reads a request from a HAR (HTTP Archive 1.2): the entry that `entry` names by number (from 1) or part of its URL,
 * or else the only signed one. Otherwise throws a RequestTextError that lists the entries.
 */
export function readHarEntry(text: string, entry: string | undefined): PastedRequest {
  const chosen = chooseEntry(entriesOf(parse(text)), entry);
  const { request, recordedSeconds } = chosen;
  const lines = readPairs(request['headers']).filter(([name]) => !name.startsWith(':'));
  const url = String(request['url']);
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  const { body, notes } = readPostData(request);
  return {
    source: 'a HAR entry',
    method: String(request['method']),
    target: url,
    headers: headerValues(lines, 'host').length > 0 ? lines : [['Host', authority], ...lines],
    body,
    notes,
    recordedSeconds,
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

interface Entry {
  readonly request: JsonObject;
  readonly recordedSeconds: number | undefined;
}

const listedMax = 20;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notHar();
  }
}

/** Accepts an archive, its log, a list of entries, one entry, or an entry's request. */
function entriesOf(value: unknown): readonly Entry[] {
  const log = member(value, 'log') ?? value;
  const list = member(log, 'entries') ?? (Array.isArray(log) ? log : [log]);
  if (!Array.isArray(list)) throw notHar();
  const entries = list.flatMap((one: unknown): Entry[] => {
    const request = member(one, 'request') ?? one;
    const isRequest =
      typeof member(request, 'method') === 'string' &&
      typeof member(request, 'url') === 'string' &&
      Array.isArray(member(request, 'headers'));
    return isRequest ? [{ request: request as JsonObject, recordedSeconds: timeOf(one) }] : [];
  });
  if (entries.length === 0) throw notHar();
  return entries;
}

/** The response's Date is the service's clock, which decides whether a signature is on time; a browser's may be wrong. */
function timeOf(entry: unknown): number | undefined {
  const [date] = headerValues(readPairs(member(member(entry, 'response'), 'headers')), 'date');
  const startedAt = member(entry, 'startedDateTime');
  const startedMs = typeof startedAt === 'string' ? Date.parse(startedAt) : Number.NaN;
  const startedSeconds = Number.isNaN(startedMs) ? undefined : Math.floor(startedMs / 1000);
  return readHttpDate(date ?? '') ?? startedSeconds;
}

function chooseEntry(entries: readonly Entry[], wanted: string | undefined): Entry {
  const isSigned = ({ request }: Entry): boolean =>
    readPairs(request['headers']).some(([name]) => /^signature(?:-input)?$/i.test(name));
  const byNumber = wanted !== undefined && /^\d{1,6}$/.test(wanted) ? entries[Number(wanted) - 1] : undefined;
  if (byNumber) return byNumber;
  const found =
    wanted !== undefined
      ? entries.filter(({ request }) => String(request['url']).includes(wanted))
      : entries.length === 1
        ? entries
        : entries.filter(isSigned);
  if (found.length === 1) return found[0]!;
  const shown = (found.length > 0 ? found : entries).slice(0, listedMax);
  const list = shown.map(
    (one) => `${entries.indexOf(one) + 1}  ${String(one.request['method'])} ${String(one.request['url'])}`,
  );
  const asked =
    wanted === undefined
      ? 'The archive has several requests.'
      : `Of the archive, "${wanted}" names ${found.length === 0 ? 'none' : 'several'} of the requests.`;
  throw new RequestTextError('incomplete', asked, 'choose-entry', list);
}

function readPostData(request: JsonObject): Pick<PastedRequest, 'body' | 'notes'> {
  const text = member(request['postData'], 'text');
  const size = Number(request['bodySize'] ?? 0);
  if (typeof text === 'string' && (text !== '' || size <= 0)) {
    const isBase64 = member(request['postData'], 'encoding') === 'base64';
    const body = isBase64 ? bytesOfBase64(text) : utf8Bytes(text);
    const isOther = size > 0 && size !== body.length;
    const note = `The archive says that the body has ${size} bytes, but contains ${body.length}: it was changed during recording.`;
    return { body, notes: isOther ? [{ text: note }] : [] };
  }
  const headers = readPairs(request['headers']);
  const hadBody =
    size > 0 ||
    Number(headerValues(headers, 'content-length')[0] ?? 0) > 0 ||
    (request['bodySize'] !== 0 && headerValues(headers, 'content-digest').length > 0);
  if (!hadBody) return { body: new Uint8Array(), notes: [] };
  return {
    body: undefined,
    notes: [{ text: 'The archive does not contain the body.', advice: 'give-body' }],
  };
}

/** Decodes Base64 with or without padding. Text that is not Base64 stays as it is. */
function bytesOfBase64(text: string): Uint8Array {
  const [, plain = ''] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(text.replaceAll(/\s/g, '')) ?? [];
  return decodeBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')) ?? utf8Bytes(text);
}

function readPairs(value: unknown): [name: string, value: string][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown): [string, string][] => {
    const [name, text] = [member(one, 'name'), member(one, 'value')];
    return typeof name === 'string' && typeof text === 'string' ? [[name, text]] : [];
  });
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined;
}

function notHar(): RequestTextError {
  return new RequestTextError(
    'incomplete',
    'This looks like JSON, but is not a HAR archive, one of its entries, or a request (with method, url and headers). ' +
      'In the network view of a browser: "Save all as HAR", or "Copy as cURL", which can be explained too.',
  );
}

import { isId } from './ids.ts';
import { formatAddress, parseAddress } from './network/address.ts';
import { isProblemCode, passedOutcomes } from './problems.ts';

/** One condition of a search. A request is found if all of them hold. */
export type RequestCondition =
  /** A request ID, or the beginning of one. */
  | { readonly kind: 'id'; readonly text: string }
  /** With a leading slash, the beginning of the path; otherwise any part of it, ignoring case. */
  | { readonly kind: 'path'; readonly text: string }
  /** A source address in canonical form. */
  | { readonly kind: 'address'; readonly text: string }
  /** Part of a client's name, ignoring case, or the beginning of its clientId. */
  | { readonly kind: 'client'; readonly text: string }
  /** A key ID, a key's fingerprint, or the beginning of a fingerprint. */
  | { readonly kind: 'key'; readonly text: string }
  /** `accepted`, `refused`, `observed` or a code. */
  | { readonly kind: 'code'; readonly text: string }
  /** The code of the mistake that was found in a rejected request. */
  | { readonly kind: 'finding'; readonly text: string }
  | { readonly kind: 'method'; readonly text: string }
  /** Part of the path or of the client's name, or the beginning of the clientId. */
  | { readonly kind: 'word'; readonly text: string }
  /** A range of statuses, inclusive. */
  | { readonly kind: 'status'; readonly from: number; readonly to: number }
  /** Milliseconds since 1970, inclusive. */
  | { readonly kind: 'after'; readonly timeMs: number }
  /** Milliseconds since 1970, exclusive. */
  | { readonly kind: 'before'; readonly timeMs: number };

/** The meaning of a search text, or the reason why it has none. */
export type RequestSearch =
  | { readonly conditions: readonly RequestCondition[] }
  | { readonly mistake: string };

/** The sort orders for a list of requests; descending with a minus. */
export const requestSorts = [
  '-receivedAt',
  'receivedAt',
  '-durationMs',
  'durationMs',
  '-status',
  'status',
  'url',
  '-url',
  'sourceAddress',
  '-sourceAddress',
] as const;

export type RequestSort = (typeof requestSorts)[number];

/** The longest search text, in characters. */
export const requestSearchMax = 256;
const conditionsMax = 8;

/**
 * Reads what a person typed to find requests. Words are separated by spaces, and quotes keep them together. Each is
 * `name:value`, or is recognized by its form: an id, an address, a path, a status, a code, a method, a fingerprint.
 *
 * @example readRequestSearch('status:4xx /v1/payments 203.0.113.7')
 */
export function readRequestSearch(text: string): RequestSearch {
  if (text.length > requestSearchMax)
    return { mistake: `a search has at most ${requestSearchMax} characters` };
  // PostgreSQL rejects a zero byte, and half a surrogate pair cannot be stored.
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return { mistake: 'a search has no control characters' };
  const words = wordsOf(text);
  if (words === undefined) return { mistake: 'a quotation mark has no end' };
  if (words.length > conditionsMax) return { mistake: `a search has at most ${conditionsMax} words` };
  const conditions: RequestCondition[] = [];
  for (const word of words) {
    const condition = conditionOf(word);
    if ('mistake' in condition) return condition;
    conditions.push(condition);
  }
  return { conditions };
}

interface Word {
  readonly text: string;
  /** The part before the colon, in lower case; undefined if a quotation mark or no colon came first. */
  readonly name: string | undefined;
}

/** Splits at spaces outside quotes; undefined if a quote is not closed. */
function wordsOf(text: string): readonly Word[] | undefined {
  const words: Word[] = [];
  const pattern = /\s*(?:([a-zA-Z]{2,11}):(?=\S))?(?:"([^"]*)"|(\S+))/gy;
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [all, name, quoted, plain] = match;
    if (quoted === undefined && plain?.startsWith('"')) return undefined;
    end = match.index + all.length;
    const value = (quoted ?? plain ?? '').trim();
    // The user may still be typing the value.
    const isOnlyName =
      name === undefined && value.endsWith(':') && readers.has(value.slice(0, -1).toLowerCase());
    if (value !== '' && !isOnlyName) words.push({ text: value, name: name?.toLowerCase() });
  }
  return text.slice(end).trim() === '' ? words : undefined;
}

type Read = (text: string) => RequestCondition | { readonly mistake: string };

/** The names that can stand before a colon. */
const readers: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['id', (text) => ({ kind: 'id', text })],
  ['request', (text) => ({ kind: 'id', text })],
  ['path', (text) => ({ kind: 'path', text: pathOf(text) })],
  ['address', readAddress],
  ['ip', readAddress],
  ['client', (text) => ({ kind: 'client', text })],
  ['key', (text) => ({ kind: 'key', text })],
  ['code', (text) => ({ kind: 'code', text: text.toLowerCase() })],
  ['outcome', (text) => ({ kind: 'code', text: text.toLowerCase() })],
  ['finding', (text) => ({ kind: 'finding', text: text.toLowerCase() })],
  ['method', (text) => ({ kind: 'method', text: text.toUpperCase() })],
  ['status', readStatus],
  ['after', (text) => readTime('after', text)],
  ['before', (text) => readTime('before', text)],
]);

function conditionOf({ text, name }: Word): RequestCondition | { readonly mistake: string } {
  if (name === undefined) return recognize(text);
  const read = readers.get(name);
  // A clientId can contain colons, and so can an address.
  return read === undefined ? recognize(`${name}:${text}`) : read(text);
}

const outcomes = new Set(['accepted', 'refused', 'observed']);
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Recognizes a value by its form. */
function recognize(text: string): RequestCondition {
  if (isId('request', text) || /^request_[0-9a-z]+$/.test(text)) return { kind: 'id', text };
  if (isId('key', text) || text.startsWith('SHA256:')) return { kind: 'key', text };
  if (text.startsWith('/') || /^https?:\/\//.test(text)) return { kind: 'path', text: pathOf(text) };
  const address = parseAddress(text);
  if (address !== undefined) return { kind: 'address', text: formatAddress(address) };
  const status = readStatus(text);
  if (!('mistake' in status)) return status;
  if (outcomes.has(text) || isProblemCode(text)) return { kind: 'code', text };
  if (methods.has(text)) return { kind: 'method', text };
  return { kind: 'word', text };
}

/** Returns the path of a URL. Queries are left out, because the log keeps the names of parameters only. */
function pathOf(text: string): string {
  const path = text.replace(/^https?:\/\/[^/?#]*/, '').replace(/[?#].*$/, '');
  // People end a path prefix with a star, as in shells.
  return path.replace(/(?<=.)\*$/, '') || '/';
}

function readAddress(text: string): RequestCondition | { readonly mistake: string } {
  const address = parseAddress(text);
  if (address === undefined) return { mistake: 'address takes one IP address, such as 203.0.113.7' };
  return { kind: 'address', text: formatAddress(address) };
}

function readStatus(text: string): RequestCondition | { readonly mistake: string } {
  const match = /^([1-5])(xx|[0-9]{2})$/i.exec(text);
  if (match === null) return { mistake: 'status takes a number such as 401, or a class such as 4xx' };
  const hundreds = Number(match[1]) * 100;
  const rest = Number(match[2]);
  return Number.isNaN(rest)
    ? { kind: 'status', from: hundreds, to: hundreds + 99 }
    : { kind: 'status', from: hundreds + rest, to: hundreds + rest };
}

const day = /^\d{4}-\d{2}-\d{2}$/;
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;

function readTime(kind: 'after' | 'before', text: string): RequestCondition | { readonly mistake: string } {
  const timeMs = day.test(text) || time.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse reads 31 February as 2 March.
  if (Number.isNaN(timeMs) || new Date(timeMs).toISOString().slice(0, 10) !== text.slice(0, 10))
    return { mistake: `${kind} takes a day or a time in UTC, such as 2026-11-21 or 2026-11-21T12:00Z` };
  return { kind, timeMs };
}

/** The facts about a request that conditions are compared with. */
export interface SearchedRequest {
  readonly requestId: string;
  readonly receivedAt: string;
  readonly clientId: string;
  readonly outcome: string;
  readonly isObserved: boolean;
  readonly findingCode?: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly sourceAddress: string;
  readonly keyFingerprint?: string | undefined;
}

/**
 * Returns true if a request meets all conditions, with the same result as the service's search.
 *
 * @param clientName returns the name of a client; undefined if it is unknown
 */
export function meetsConditions(
  request: SearchedRequest,
  conditions: readonly RequestCondition[],
  clientName: (clientId: string) => string | undefined,
): boolean {
  return conditions.every((condition) => meets(request, condition, clientName));
}

function meets(
  request: SearchedRequest,
  condition: RequestCondition,
  clientName: (clientId: string) => string | undefined,
): boolean {
  const { clientId, outcome, isObserved, url, status } = request;
  const isOfClient = (text: string): boolean =>
    clientId.startsWith(text) || searchNameOf(clientName(clientId) ?? '').includes(searchNameOf(text));
  switch (condition.kind) {
    case 'id':
      return request.requestId.startsWith(condition.text);
    case 'path':
      return isInPath(url, condition.text);
    case 'address':
      return request.sourceAddress === condition.text;
    case 'client':
      return isOfClient(condition.text);
    case 'key':
      return request.keyFingerprint?.startsWith(condition.text) ?? false;
    case 'code':
      if (condition.text === 'observed') return isObserved;
      if (condition.text === 'refused') return !passedOutcomes.has(outcome) && !isObserved;
      return outcome === condition.text;
    case 'finding':
      return request.findingCode === condition.text;
    case 'method':
      return request.method === condition.text;
    case 'word':
      return isOfClient(condition.text) || asciiLower(url).includes(asciiLower(condition.text));
    case 'status':
      return status >= condition.from && status <= condition.to;
    case 'after':
      return Date.parse(request.receivedAt) >= condition.timeMs;
    case 'before':
      return Date.parse(request.receivedAt) < condition.timeMs;
  }
}

function isInPath(url: string, text: string): boolean {
  return text.startsWith('/') ? url.startsWith(text) : asciiLower(url).includes(asciiLower(text));
}

/** Returns the form of a name that searches compare, without differences in case, width and accents. */
export function searchNameOf(name: string): string {
  return name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Lower-cases only ASCII letters, as databases do. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

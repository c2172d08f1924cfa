import { identityPrefix } from './forwarded-headers.ts';
import { keepRecent, recentNames } from '../http/recent-texts.ts';

/** The head of an upstream's response, as it is passed on. */
export interface ReturnedHead {
  readonly status: number;
  readonly statusText: string;
  /** Names and values in turn. */
  readonly headers: string[];
}

/**
 * Returns the head that the client gets: the upstream's, without hop-by-hop fields (RFC 9110 section 7.6.1)
 * and without our own names. Undefined if it cannot be written as HTTP/1.1.
 */
export function returnedHead(
  status: number,
  statusText: string,
  rawHeaders: readonly string[],
): ReturnedHead | undefined {
  if (status < 200 || status > 599) return undefined;
  const named = namedByConnection(rawHeaders);
  const headers: string[] = [];
  let hasCoding = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = rawHeaders[index + 1]!;
    const kind = kindOf(name);
    // The parser decodes only this coding, and the field that announces another one is not passed on.
    if (kind === 'coding' && (hasCoding || value.toLowerCase() !== 'chunked')) return undefined;
    hasCoding ||= kind === 'coding';
    if (kind === 'drop' || kind === 'coding' || named?.has(name.toLowerCase())) continue;
    if (status === 204 && kind === 'length') continue;
    if (kind === 'unwritable' || !fieldValue.test(value)) return undefined;
    headers.push(name, value);
  }
  return { status, statusText: fieldValue.test(statusText) ? statusText : '', headers };
}

/**
 * Returns the head of a response that switches protocols: with `Upgrade`, and a `Connection` of our own.
 * Undefined if it switches to any protocol but the requested one (in lower case): only that one was allowed.
 */
export function switchingHead(
  status: number,
  rawHeaders: readonly string[],
  asked: string | undefined,
): ReturnedHead | undefined {
  if (status !== 101) return undefined;
  const protocols = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'upgrade',
  );
  const head = returnedHead(200, 'Switching Protocols', rawHeaders);
  if (head === undefined || protocols.length !== 1) return undefined;
  if (protocols[0]!.trim().toLowerCase() !== asked) return undefined;
  return { ...head, status, headers: [...head.headers, 'Connection', 'Upgrade', 'Upgrade', protocols[0]!] };
}

type HeaderKind = 'pass' | 'drop' | 'coding' | 'length' | 'unwritable';

const kindOf = keepRecent(classify, recentNames);

function classify(name: string): HeaderKind {
  const lowerCase = name.toLowerCase();
  if (lowerCase === 'transfer-encoding') return 'coding';
  if (hopByHop.has(lowerCase) || lowerCase.startsWith(identityPrefix)) return 'drop';
  if (lowerCase === 'content-length') return 'length';
  return token.test(name) ? 'pass' : 'unwritable';
}

/** Returns the fields that `Connection` names, in lower case; undefined if it names only the usual options. */
function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> | undefined {
  let named: Set<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length !== connection.length || name.toLowerCase() !== connection) continue;
    const value = rawHeaders[index + 1]!;
    if (value === 'keep-alive' || value === 'close') continue;
    named ??= new Set();
    for (const option of value.toLowerCase().split(',')) named.add(option.trim());
  }
  // Dropping a length would change where the response ends.
  named?.delete('content-length');
  return named;
}

const connection = 'connection';
const hopByHop: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-connection te trailer upgrade'.split(' '),
);

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

import { identityPrefix } from './forwarded-headers.ts';

/** The head of an upstream's answer, as it is passed on. */
export interface ReturnedHead {
  readonly status: number;
  readonly statusText: string;
  /** Names and values in turn. */
  readonly headers: string[];
}

/**
 * Returns the head that the client gets: the upstream's, without hop-by-hop fields (RFC 9110 section 7.6.1) and without
 * names that are ours. Undefined if it cannot be written as HTTP/1.1.
 */
export function returnedHead(
  status: number,
  statusText: string,
  rawHeaders: readonly string[],
): ReturnedHead | undefined {
  if (status < 200 || status > 599) return undefined;
  const named = new Set(hopByHop);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== 'connection') continue;
    for (const option of rawHeaders[index + 1]!.toLowerCase().split(',')) {
      // A length that is dropped would change where the answer ends.
      if (option.trim() !== 'content-length') named.add(option.trim());
    }
  }
  const headers: string[] = [];
  let hasCoding = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = rawHeaders[index + 1]!;
    const lowerCase = name.toLowerCase();
    // The parser undoes this coding alone, and the field that tells of another one does not pass.
    if (lowerCase === 'transfer-encoding' && (hasCoding || value.toLowerCase() !== 'chunked'))
      return undefined;
    hasCoding ||= lowerCase === 'transfer-encoding';
    if (named.has(lowerCase) || lowerCase.startsWith(identityPrefix)) continue;
    if (status === 204 && lowerCase === 'content-length') continue;
    if (!token.test(name) || !fieldValue.test(value)) return undefined;
    headers.push(name, value);
  }
  return { status, statusText: fieldValue.test(statusText) ? statusText : '', headers };
}

/** Returns the head of an answer that switches protocols: with `Upgrade`, and a `Connection` of our own. */
export function switchingHead(status: number, rawHeaders: readonly string[]): ReturnedHead | undefined {
  if (status !== 101) return undefined;
  const protocols = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'upgrade',
  );
  const head = returnedHead(200, 'Switching Protocols', rawHeaders);
  if (head === undefined || protocols.length !== 1) return undefined;
  return { ...head, status, headers: [...head.headers, 'Connection', 'Upgrade', 'Upgrade', protocols[0]!] };
}

const hopByHop = 'connection keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' ');

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

import type { IncomingMessage } from 'node:http';
import { ProxyRefusal } from './refusals.ts';

/** The target to which the proxy sends everything. */
export interface ProxyTarget {
  readonly origin: string;
  /** In the format of `Host`. */
  readonly host: string;
  /** The prefix of all paths; empty for none. Without a trailing slash. */
  readonly basePath: string;
}

export interface LocalPolicy {
  readonly target: ProxyTarget;
  /** The values of `Host` by which callers may name this proxy, in lower case. */
  readonly ownHosts: ReadonlySet<string>;
  /** The headers that do not go to the target as they are, in lower case: see `replacedHeaders`. */
  readonly replaced: ReadonlySet<string>;
}

type HeaderLine = readonly [name: string, value: string];

/** A local request that may be signed. */
export interface LocalRequest {
  readonly method: string;
  /** The URL to sign and to call, as text. */
  readonly url: string;
  /** The header lines for the target, in order. */
  readonly headers: readonly HeaderLine[];
  /** True if the caller announced a body, even an empty one. */
  readonly announcesBody: boolean;
}

/**
 * Decides whether a local request may be signed. Throws a ProxyRefusal if it is for another target, or if a
 * web page may have sent it: pages can reach a loopback address, even by their own domain name if that
 * resolves to it (DNS rebinding).
 */
export function readLocalRequest(
  { method = '', url = '', rawHeaders }: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>,
  policy: LocalPolicy,
): LocalRequest {
  const lines = headerLines(rawHeaders);
  const values = (name: string): string[] =>
    lines.filter((line) => line[0].toLowerCase() === name).map(([, value]) => value);
  const hosts = values('host');
  const [host = ''] = hosts;
  if (hosts.length !== 1 || !isOwn(host, policy)) {
    throw new ProxyRefusal(
      'host_not_allowed',
      `Call this proxy by its address, or name ${policy.target.host} in Host. --allow-host allows another name.`,
    );
  }
  checkNoBrowser(values);
  if (values('upgrade').some((value) => /websocket/i.test(value)))
    throw new ProxyRefusal('upgrade_not_supported', 'WebSocket is not supported; call the API with HTTP.');
  return {
    method,
    url: policy.target.origin + pathOf(url, policy),
    headers: endToEndLines(lines, policy.replaced),
    announcesBody: values('transfer-encoding').length > 0 || values('content-length').length > 0,
  };
}

function isOwn(host: string, { target, ownHosts }: LocalPolicy): boolean {
  const text = host.toLowerCase();
  return text === target.host || ownHosts.has(text);
}

/**
 * Browsers identify the origin: `Origin` with every request that could change something, `Sec-Fetch-Site`
 * with all.
 */
function checkNoBrowser(values: (name: string) => string[]): void {
  const [site = 'none'] = values('sec-fetch-site');
  if (values('origin').length === 0 && site === 'none') return;
  throw new ProxyRefusal(
    'browser_not_allowed',
    'A web page sent this request: it has Origin or Sec-Fetch-Site. Web pages must not act as the client.',
  );
}

/** Returns the path with its query, unchanged. */
function pathOf(text: string, policy: LocalPolicy): string {
  const { target } = policy;
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(text);
  if (absolute === null) {
    if (text.startsWith('/')) return target.basePath + text;
    throw new ProxyRefusal('request_invalid', 'Request a path that starts with a slash.');
  }
  const [, authority = '', rest = ''] = absolute;
  if (authority.toLowerCase() !== target.host) {
    throw new ProxyRefusal(
      'target_not_allowed',
      `This proxy signs only for ${target.origin}. Call other hosts without it.`,
    );
  }
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  if (target.basePath === '' || path.startsWith(`${target.basePath}/`)) return path;
  throw new ProxyRefusal(
    'target_not_allowed',
    `This proxy signs only for ${target.origin}${target.basePath}.`,
  );
}

/** The fields of a connection, not of a message (RFC 9110 section 7.6.1). */
const hopByHop: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/**
 * Returns the headers that the proxy writes itself, and those that a caller must not choose.
 *
 * @param signatureHeaders the headers that the signer sets. Default: those of the service's own profile
 */
export function replacedHeaders(
  signatureHeaders: readonly string[] = ['signature', 'signature-input', 'content-digest', 'date'],
): ReadonlySet<string> {
  return new Set([...hopByHop, 'host', 'content-length', 'expect', ...signatureHeaders]);
}

const answerLinesOut: ReadonlySet<string> = new Set(hopByHop);

/** Returns the header lines of a response for the caller. */
export function answerLines(rawHeaders: readonly string[]): readonly HeaderLine[] {
  return endToEndLines(headerLines(rawHeaders), answerLinesOut);
}

/** Removes these fields, and those that `Connection` names. */
function endToEndLines(lines: readonly HeaderLine[], out: ReadonlySet<string>): readonly HeaderLine[] {
  const named = lines
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((token) => token.trim().toLowerCase()));
  return lines.filter(([name]) => {
    const key = name.toLowerCase();
    return !out.has(key) && !named.includes(key);
  });
}

function headerLines(rawHeaders: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    lines.push([rawHeaders[index]!, rawHeaders[index + 1]!]);
  return lines;
}

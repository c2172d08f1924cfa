import { parseAddress } from '@countersign/contract/network';
import { type DirectoryProblem, directoryProblem } from './directory-problem.ts';

/**
 * Origins that the operator named, such as `https://keys.intranet:8443` and `http://127.0.0.1:8080`: any scheme of HTTP, any
 * port, and private addresses too. Everyone who can name a directory reaches the GET resources of these hosts.
 */
export type TrustedOrigins = ReadonlySet<string>;

/** A URL that may be fetched, as far as its text says. */
export interface DirectoryUrl {
  readonly ok: true;
  readonly url: URL;
  /** True if the operator named its origin. */
  readonly isTrusted: boolean;
}

/** Reads an origin that the operator names; undefined for anything but the exact text of an http or https origin. */
export function readTrustedOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && origin === text ? origin : undefined;
}

/**
 * Checks a directory's URL: https, port 443, a public host name, the text exactly as the URL standard serializes it. So that
 * one directory has one name, and nobody reads a host into the text that is not the one connected to.
 *
 * Not checked: where the name leads. `fetchDirectory` does that when it connects.
 */
export function checkDirectoryUrl(
  text: string,
  trustedOrigins: TrustedOrigins = new Set(),
): DirectoryUrl | DirectoryProblem {
  if (text.length > urlCharactersMax) return directoryProblem('url_too_long');
  if (!/^[\x21-\x7e]+$/.test(text)) return directoryProblem('url_not_canonical');
  if (!URL.canParse(text)) return directoryProblem('url_malformed');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return directoryProblem('url_not_https');
  if (url.username !== '' || url.password !== '') return directoryProblem('url_has_credentials');
  if (text.includes('#')) return directoryProblem('url_has_fragment');
  if (url.href !== text) return directoryProblem('url_not_canonical');
  if (trustedOrigins.has(url.origin)) return { ok: true, url, isTrusted: true };
  if (url.protocol !== 'https:') return directoryProblem('url_not_https');
  if (url.port !== '') return directoryProblem('url_port_not_allowed');
  if (isAddress(url.hostname)) return directoryProblem('url_host_is_address');
  if (!isPublicName(url.hostname)) return directoryProblem('url_host_not_public');
  return { ok: true, url, isTrusted: false };
}

/** Returns the address in a URL's host; undefined for a name. */
export function addressInUrl({ hostname }: URL): string | undefined {
  if (!isAddress(hostname)) return undefined;
  return hostname.replace(/^\[|\]$/g, '');
}

const urlCharactersMax = 1024;

/** The URL standard has already turned every other form of an IPv4 address into the dotted one. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || parseAddress(hostname) !== undefined;
}

/** Names of RFC 6761, RFC 6762, RFC 7686, RFC 8375 and of ICANN that lead to no host of the internet. */
const privateNames = /(?:^|\.)(?:localhost|local|internal|onion|alt|arpa)$/;

/** Returns true for a name of at least two labels (RFC 1123 section 2.1), without a dot at the end. */
function isPublicName(hostname: string): boolean {
  return (
    hostname.length <= 253 &&
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(hostname) &&
    !privateNames.test(hostname)
  );
}

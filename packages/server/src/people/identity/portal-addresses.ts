import { isIP } from 'node:net';

/** The addresses at which browsers reach the portal. */
export interface PortalAddresses {
  /** The base URL for links and passkeys: the first one with a domain name, because passkeys need one. */
  readonly baseUrl: string;
  /** The origins of all base URLs, from which the portal's own pages send requests. */
  readonly origins: ReadonlySet<string>;
  /** The origins from which passkeys can be used. */
  readonly passkeyOrigins: readonly string[];
  /** Returns true if a page at this base URL can use passkeys. */
  readonly arePasskeysPossible: (baseUrl: string) => boolean;
}

export function portalAddresses(publicBaseUrls: readonly string[]): PortalAddresses {
  const urls = publicBaseUrls.map((baseUrl) => new URL(baseUrl));
  const index = Math.max(
    0,
    urls.findIndex(({ hostname }) => hasName(hostname)),
  );
  const { hostname } = urls[index]!;
  const ofPasskeys = hasName(hostname) ? urls.filter((url) => url.hostname === hostname) : [];
  const passkeyOrigins = ofPasskeys.map(({ origin }) => origin);
  return {
    baseUrl: publicBaseUrls[index]!,
    origins: new Set(urls.map(({ origin }) => origin)),
    passkeyOrigins,
    arePasskeysPossible: (baseUrl) => passkeyOrigins.includes(new URL(baseUrl).origin),
  };
}

/** Builds a link to a page. The token goes after `#`, which browsers send to no server, so that it reaches no log. */
export function portalLink(baseUrl: string, page: string, token?: string): string {
  return `${baseUrl}/portal/${page}${token === undefined ? '' : `#token=${token}`}`;
}

/** Returns true for a domain name. Relying party IDs are never IP addresses (WebAuthn section 5.1.3). */
function hasName(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}

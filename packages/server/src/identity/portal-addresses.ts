import { isIP } from 'node:net';

/** Under which addresses the portal is reached, and where its pages are. */
export interface PortalAddresses {
  /** The base URL for links and passkeys: the first that has a name, because passkeys need one. */
  readonly baseUrl: string;
  /** The origins of all base URLs: where requests of the portal's own pages come from. */
  readonly origins: ReadonlySet<string>;
  /** The origins of the host that passkeys belong to. */
  readonly passkeyOrigins: readonly string[];
  /** Whether passkeys can be used by a page of this base URL. */
  readonly arePasskeysPossible: (baseUrl: string) => boolean;
}

/** Reads the addresses of the portal from the public base URLs. */
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

/** A page of the portal, with the secret of a link behind `#`: it reaches no server, and so no log. */
export function portalLink(baseUrl: string, page: string, token?: string): string {
  return `${baseUrl}/portal/${page}${token === undefined ? '' : `#token=${token}`}`;
}

/** A relying party is named by a domain, never by an address (WebAuthn section 5.1.3). */
function hasName(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}

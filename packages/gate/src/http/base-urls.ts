/** A base URL under which requests are received. */
export interface ReceivingBase<Door> {
  /** With the authority as `Host` wrote it. */
  readonly url: string;
  /** What stands behind it. */
  readonly door: Door;
}

/**
 * The base URLs under which requests are received, each with the door that it leads to. The `Host` header picks one; the
 * target URI is that base URL and the raw request target, as text. Nothing is normalised.
 */
export class BaseUrls<Door> {
  readonly #baseByAuthority = new Map<string, ReceivingBase<Door>>();

  /** Takes URLs that `problemOfBaseUrls` found nothing wrong with, over all doors. */
  constructor(doors: Iterable<{ readonly baseUrls: readonly string[]; readonly door: Door }>) {
    for (const { baseUrls, door } of doors) {
      for (const baseUrl of baseUrls) {
        const parts = split(baseUrl);
        // Some clients name the default port in Host and in the URL that they sign: it is the same place, as called.
        for (const authority of authoritiesOf(parts)) {
          const url = `${parts.scheme}://${authority}${parts.prefix}`;
          this.#baseByAuthority.set(authority, { url, door });
        }
      }
    }
  }

  /** The base URL that a `Host` header names; undefined for a host that is not ours. */
  find(host: string): ReceivingBase<Door> | undefined {
    return this.#baseByAuthority.get(host) ?? this.#baseByAuthority.get(host.toLowerCase());
  }

  /** The origin-form part of an absolute-form target (section 3.2.2) if it is below the base URL that `host` names. */
  originForm(host: string, target: string): string | undefined {
    const url = this.#baseByAuthority.get(host.toLowerCase())?.url;
    return url !== undefined && target.startsWith(`${url}/`) ? target.slice(url.length) : undefined;
  }
}

/** The origins of base URLs, as browsers write them (RFC 6454 section 6.1). */
export function originsOf(baseUrls: readonly string[]): ReadonlySet<string> {
  return new Set(baseUrls.map((baseUrl) => new URL(baseUrl).origin));
}

/** What is wrong with a list of base URLs, in one sentence; undefined when it can be used. */
export function problemOfBaseUrls(baseUrls: readonly string[]): string | undefined {
  const authorities = new Set<string>();
  for (const baseUrl of baseUrls) {
    // A password may stand before the @, so the URL is not repeated.
    if (baseUrl.includes('@'))
      return 'a base URL has no user information: write scheme and host, like https://api.example.com';
    if (!baseUrlForm.test(baseUrl) || !URL.canParse(baseUrl)) {
      return `${JSON.stringify(baseUrl)} is not a base URL: write scheme and lower-case host, like https://api.example.com`;
    }
    if (/[/?#]$/.test(baseUrl) || /[?#]/.test(baseUrl)) {
      return `${JSON.stringify(baseUrl)} must have no query, no fragment and no slash at its end`;
    }
    for (const authority of authoritiesOf(split(baseUrl))) {
      if (authorities.has(authority)) {
        return `two base URLs have the host ${authority}; the Host header could not tell them apart`;
      }
      authorities.add(authority);
    }
  }
  return undefined;
}

const baseUrlForm = /^https?:\/\/[a-z0-9.[\]:_-]*[a-z0-9.\]](\/[!-.0-~/]*)?$/;

interface Parts {
  readonly scheme: string;
  readonly authority: string;
  readonly prefix: string;
}

/** The values of Host that mean this base URL: without a port, the default one may be named too. */
function authoritiesOf({ scheme, authority }: Parts): string[] {
  if (/:\d+$/.test(authority)) return [authority];
  return [authority, `${authority}:${scheme === 'https' ? 443 : 80}`];
}

function split(baseUrl: string): Parts {
  const [scheme, rest] = baseUrl.split('://') as [string, string];
  const slash = rest.indexOf('/');
  return slash < 0
    ? { scheme, authority: rest, prefix: '' }
    : { scheme, authority: rest.slice(0, slash), prefix: rest.slice(slash) };
}

/** A base URL on which the service receives requests. */
export interface ReceivingBase<Door> {
  /** With the authority exactly as in `Host`. */
  readonly url: string;
  /** Serves this base URL. */
  readonly door: Door;
}

/**
 * The base URLs on which the service receives requests, each with its door. The `Host` header selects one;
 * the target URI is that base URL followed by the raw request target, as text. Nothing is normalised.
 */
export class BaseUrls<Door> {
  readonly #baseByAuthority = new Map<string, ReceivingBase<Door>>();

  /** Takes the base URLs of all doors, already validated together by `problemOfBaseUrls`. */
  constructor(doors: Iterable<{ readonly baseUrls: readonly string[]; readonly door: Door }>) {
    for (const { baseUrls, door } of doors) {
      for (const baseUrl of baseUrls) {
        const parts = split(baseUrl);
        // Some clients include the default port in Host and in the URL they sign. It is the same place, so
        // keep the text they used.
        for (const authority of authoritiesOf(parts)) {
          const url = `${parts.scheme}://${authority}${parts.prefix}`;
          this.#baseByAuthority.set(authority, { url, door });
        }
      }
    }
  }

  /** Returns the base URL that a `Host` header names; undefined if the host is not one of ours. */
  find(host: string): ReceivingBase<Door> | undefined {
    return this.#baseByAuthority.get(host) ?? this.#baseByAuthority.get(host.toLowerCase());
  }

  /**
   * Returns the origin-form part of an absolute-form target (section 3.2.2) if it is below the base URL that `host`
   * names.
   */
  originForm(host: string, target: string): string | undefined {
    const url = this.#baseByAuthority.get(host.toLowerCase())?.url;
    return url !== undefined && target.startsWith(`${url}/`) ? target.slice(url.length) : undefined;
  }
}

/** Returns the origins of base URLs, as browsers write them (RFC 6454 section 6.1). */
export function originsOf(baseUrls: readonly string[]): ReadonlySet<string> {
  return new Set(baseUrls.map((baseUrl) => new URL(baseUrl).origin));
}

/** Returns what is wrong with a list of base URLs, in one sentence; undefined if nothing is. */
export function problemOfBaseUrls(baseUrls: readonly string[]): string | undefined {
  const authorities = new Set<string>();
  for (const baseUrl of baseUrls) {
    // There may be a password before the @, so don't repeat the URL.
    if (baseUrl.includes('@'))
      return 'a base URL cannot have user information: write scheme and host, like https://api.example.com';
    if (!baseUrlForm.test(baseUrl) || !URL.canParse(baseUrl)) {
      return `${JSON.stringify(baseUrl)} is not a base URL: write scheme and lower-case host, like https://api.example.com`;
    }
    if (/[/?#]$/.test(baseUrl) || /[?#]/.test(baseUrl)) {
      return `${JSON.stringify(baseUrl)} must have no query, no fragment and no trailing slash`;
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

/** Returns the `Host` values that mean this base URL. A URL without a port also matches its default port. */
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

import { headerValues, type PastedRequest } from './pasted-request.ts';
import { incomplete, type RequestNote } from './request-text-error.ts';

/** The URL as the service builds it. */
export interface TargetUri {
  readonly targetUri: string;
  /** The Host value if it is not one of the service's own: an address behind its proxy. */
  readonly internalHost: string | undefined;
  /** Assumptions that were made. */
  readonly note: RequestNote | undefined;
}

/**
 * Checks base URLs and returns them in the form of the service's configuration. Throws a RequestTextError for
 * anything else.
 */
export function readBaseUrls(texts: readonly string[]): readonly string[] {
  return texts.map((text) => {
    const url = URL.parse(text);
    const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
    if (!url || !isHttp || url.username !== '' || url.password !== '' || /[?#]/.test(text))
      throw incomplete(
        'The base URL must be an http or https URL without user, query and fragment, like https://api.example.com.',
      );
    return url.origin + url.pathname.replace(/\/+$/, '');
  });
}

/**
 * Builds the URL like the service: its base URL plus the target as called. The host chooses between several base
 * URLs. Without any, takes the URL as called, with https if the request does not say.
 */
export function targetUriOf({ target, headers }: PastedRequest, baseUrls: readonly string[]): TargetUri {
  const { origin, path } = split(target);
  const host = headerValues(headers, 'host')[0] ?? '';
  const authority = origin === undefined ? host.toLowerCase() : origin.replace(/^https?:\/\//, '');
  const [first] = baseUrls;
  if (first !== undefined) {
    const known = baseUrls.find((base) => isAt(base, authority));
    const base = known ?? first;
    const prefix = base.replace(/^https?:\/\/[^/]*/, '');
    const isPrefixed = prefix === '' || path === prefix || path.startsWith(`${prefix}/`);
    const targetUri = isPrefixed ? base.slice(0, base.length - prefix.length) + path : base + path;
    const text = `The request was for ${authority}, which is not the service's URL; ${targetUri} is assumed`;
    return known === undefined
      ? { targetUri, internalHost: host === '' ? undefined : host, note: { text } }
      : { targetUri, internalHost: undefined, note: undefined };
  }
  if (origin !== undefined) return { targetUri: origin + path, internalHost: undefined, note: undefined };
  if (host === '') throw incomplete('The request does not say which host it was sent to.', 'give-base-url');
  const targetUri = `https://${host}${path}`;
  const text = 'The request does not say its scheme; https is assumed.';
  return { targetUri, internalHost: undefined, note: { text, advice: 'give-base-url' } };
}

/** Returns the origin as URL parsers write it and the rest unchanged, because that is what was called. */
function split(target: string): { readonly origin: string | undefined; readonly path: string } {
  const [, origin, rest = ''] = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(target) ?? [];
  if (origin === undefined) return { origin: undefined, path: target };
  const url = URL.parse(origin);
  if (!url || url.username !== '' || url.password !== '')
    throw incomplete(
      'The URL of the request is invalid, or has a user name. Enter it as you called it, like https://api.example.com/v1/payments.',
    );
  return { origin: url.origin, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Returns true if a base URL has this host, with or without its default port. */
function isAt(base: string, authority: string): boolean {
  const url = new URL(base);
  return url.host === authority || `${url.host}:${url.protocol === 'https:' ? 443 : 80}` === authority;
}

import { SigningError } from '@countersign/signature';

/** A `URL`, whichever library declares it. */
export interface UrlObject {
  readonly href: string;
}

/**
 * Returns the URL in the form that is signed and sent. A URL parser makes all changes that an HTTP client
 * would make later (case of the host, default port, `/../`, spaces, letters outside ASCII), and the parts
 * that no client sends are removed: the fragment, and a `?` without a query.
 *
 * @param relativeTo the base for relative URLs, which pages and workers may use
 * @throws SigningError `request_invalid`
 */
export function targetUrl(given: string | UrlObject, relativeTo?: 'page'): URL {
  const text = typeof given === 'string' ? given : given.href;
  // Most URLs are absolute, and looking up a missing global takes long.
  const url = URL.parse(text) ?? (relativeTo === 'page' ? URL.parse(text, pageUrl()) : null);
  if (url === null) throw urlInvalid('it is not an absolute URL, like https://api.example.com/v1/whoami');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw urlInvalid('only http and https can be signed');
  if (url.username !== '' || url.password !== '')
    throw urlInvalid('it contains a user or a password; leave them out, the signature says who calls');
  // Setters parse again, which most URLs do not need.
  if (url.href.includes('#')) url.hash = '';
  // Setting an empty query to empty removes its question mark, which clients treat differently.
  if (url.search === '' && url.href.endsWith('?')) url.search = '';
  return url;
}

function pageUrl(): string | undefined {
  return (globalThis as { readonly location?: { readonly href: string } }).location?.href;
}

/** The message omits the URL, which may contain a password. */
function urlInvalid(reason: string): SigningError {
  return new SigningError('request_invalid', `The URL cannot be signed: ${reason}.`);
}

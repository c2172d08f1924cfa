/** A place that is no part of any service: what resolves to another origin leads away from the page. */
const anywhere = 'https://portal.invalid';

const signInPaths = [
  '/sign-in',
  '/set-up',
  '/invitation',
  '/forgot-password',
  '/reset-password',
  '/step-up',
  '/auth',
];

/**
 * Where to go after the sign-in, from the `return` of the address: a path within the portal, without the leading `/portal`.
 *
 * Everything else is `/`: other origins in all spellings (`//host`, `\\host`, `https:host`, with control characters or tabs
 * that browsers drop), paths above the portal, and the pages of the sign-in themselves.
 */
export function safeReturnPath(text: string | null | undefined): string {
  if (!text || text.length > 2000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\'))
    return '/';
  let url: URL;
  try {
    url = new URL(`${anywhere}/portal${text}`);
  } catch {
    return '/';
  }
  if (url.origin !== anywhere || !url.pathname.startsWith('/portal/')) return '/';
  const path = url.pathname.slice('/portal'.length);
  if (path.startsWith('//') || signInPaths.some((each) => path === each || path.startsWith(`${each}/`)))
    return '/';
  return `${path}${url.search}`;
}

/** The address of the sign-in that comes back to a path of the portal. */
export function signInPath(returnPath: string): string {
  const safe = safeReturnPath(returnPath);
  return safe === '/' ? '/sign-in' : `/sign-in?return=${encodeURIComponent(safe)}`;
}

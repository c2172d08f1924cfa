/** The base for resolving paths: a path with another origin leads out of the portal. */
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
 * Reads the page to go to after the sign-in from the query parameter `return`: a path in the portal, without `/portal`.
 *
 * Anything else becomes `/`: other origins in all spellings (`//host`, `\\host`, `https:host`, with control characters that
 * browsers drop), paths above the portal, and the sign-in pages themselves.
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

/** Returns the sign-in page's path, which leads back to a path of the portal. */
export function signInPath(returnPath: string): string {
  const safe = safeReturnPath(returnPath);
  return safe === '/' ? '/sign-in' : `/sign-in?return=${encodeURIComponent(safe)}`;
}

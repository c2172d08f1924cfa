/**
 * Builds the URL to sign: the base URL with the path, as the browser sends it.
 *
 * @returns undefined if the path leaves the base URL
 */
export function targetOf(baseUrl: string, path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const base = baseUrl.replace(/\/+$/, '');
  if (!URL.canParse(base + path)) return undefined;
  const url = new URL(base + path);
  url.hash = '';
  return url.origin === new URL(base).origin && url.href.startsWith(`${base}/`) ? url.href : undefined;
}

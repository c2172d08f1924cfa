/**
 * Returns a document's path within the portal, or that of the list.
 *
 * @param slug empty for the list
 * @param search what to highlight there
 */
export function documentPath(slug: string, search = '', anchor = ''): string {
  const query = search === '' ? '' : `?${new URLSearchParams({ search }).toString()}`;
  return `/docs${slug && `/${slug}`}${query}${anchor && `#${anchor}`}`;
}

/** Returns where the document of errors explains a problem code of the API. */
export function errorPath(code: string): string {
  return documentPath('errors', '', encodeURIComponent(code));
}

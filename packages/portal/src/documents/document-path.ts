/** The parameters of a link to a document. */
export interface DocumentView {
  /** Words to highlight. */
  readonly search?: string;
  readonly anchor?: string;
  /** The client to fill in. */
  readonly clientId?: string;
}

/**
 * Returns a document's path within the portal, or that of the list.
 *
 * @param slug empty for the list
 */
export function documentPath(slug: string, view: DocumentView = {}): string {
  const { search = '', anchor = '', clientId = '' } = view;
  const named = { ...(search && { search }), ...(clientId && { client: clientId }) };
  const query = new URLSearchParams(named).toString();
  return `/docs${slug && `/${slug}`}${query && `?${query}`}${anchor && `#${anchor}`}`;
}

/** Returns the path of the explanation of a problem code in the document of errors. */
export function errorPath(code: string): string {
  return documentPath('errors', { anchor: encodeURIComponent(code) });
}

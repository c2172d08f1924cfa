/** The header fields in which a browser reports a request's origin, with the value of every line. */
export interface RequestOrigin {
  readonly method: string;
  readonly origin: readonly string[];
  readonly secFetchSite: readonly string[];
  readonly countersignCsrf: readonly string[];
}

/**
 * Returns why another site may have made a request; undefined if one of this service's pages made it. Browsers
 * don't let pages choose `Origin` and `Sec-Fetch-Site`, and don't let other sites' pages send our own header
 * without a preflight, which this service never allows.
 *
 * It doesn't check the session, or that the page does what its user wants.
 *
 * @param ownOrigins the origins of the public base URLs, as browsers write them
 */
export function crossSiteReason(
  { method, origin, secFetchSite, countersignCsrf }: RequestOrigin,
  ownOrigins: ReadonlySet<string>,
): string | undefined {
  const isReading = method === 'GET' || method === 'HEAD';
  if (origin.length > 1 || secFetchSite.length > 1 || countersignCsrf.length > 1)
    return 'Origin, Sec-Fetch-Site and Countersign-CSRF can each occur only once';
  const [site] = secFetchSite;
  // "none" means a typed address or a bookmark, which never changes anything.
  if (site !== undefined && site !== 'same-origin' && !(isReading && site === 'none'))
    return 'Sec-Fetch-Site is not same-origin';
  const [from] = origin;
  if (from !== undefined && !ownOrigins.has(from)) return 'Origin is not an origin of this service';
  if (isReading) return undefined;
  if (from === undefined) return 'Origin is missing';
  return countersignCsrf[0] === '1' ? undefined : 'Countersign-CSRF: 1 is missing';
}

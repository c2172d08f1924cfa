/** What a browser says of where a request comes from: the values of all lines of each header field. */
export interface RequestOrigin {
  readonly method: string;
  readonly origin: readonly string[];
  readonly secFetchSite: readonly string[];
  readonly countersignCsrf: readonly string[];
}

/**
 * Why a request that a session comes with may have been made by another site; undefined when it was made by a page of this
 * service. A browser lets no page choose its `Origin` and `Sec-Fetch-Site`, and lets no page of another site send a header
 * of our own without asking here first, which nobody answers.
 *
 * Not checked: the session itself, and that the page does what its user wants.
 *
 * @param ownOrigins of the public base URLs, as a browser writes them
 */
export function crossSiteReason(
  { method, origin, secFetchSite, countersignCsrf }: RequestOrigin,
  ownOrigins: ReadonlySet<string>,
): string | undefined {
  const isReading = method === 'GET' || method === 'HEAD';
  if (origin.length > 1 || secFetchSite.length > 1 || countersignCsrf.length > 1)
    return 'Origin, Sec-Fetch-Site and Countersign-CSRF stand at most once';
  const [site] = secFetchSite;
  // "none" is somebody who has typed the address: nothing that changes something is typed.
  if (site !== undefined && site !== 'same-origin' && !(isReading && site === 'none'))
    return 'Sec-Fetch-Site is not same-origin';
  const [from] = origin;
  if (from !== undefined && !ownOrigins.has(from)) return 'Origin is not one of this service';
  if (isReading) return undefined;
  if (from === undefined) return 'Origin is missing';
  return countersignCsrf[0] === '1' ? undefined : 'Countersign-CSRF: 1 is missing';
}

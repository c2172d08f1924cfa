import { headerValues, type RawRequest } from '@countersign/explain/request-text';

export interface TargetSettings {
  readonly scheme: 'http' | 'https';
  /** The URL as called, if the request does not contain it. */
  readonly url: string | undefined;
}

/** Builds the URL as called from the request's text (RFC 9112 section 3.3). */
export function targetUriOf(
  raw: RawRequest,
  { scheme, url }: TargetSettings,
): string | { readonly reason: string } {
  if (url !== undefined) return url;
  if (/^https?:\/\//.test(raw.target)) return raw.target;
  if (!raw.target.startsWith('/')) return { reason: 'its target is neither a path nor a URL' };
  const hosts = headerValues(raw.headers, 'host');
  const [host = ''] = hosts;
  if (hosts.length !== 1 || host === '')
    return { reason: 'it does not have exactly one Host header (or give --url)' };
  return `${scheme}://${host}${raw.target}`;
}

/** Returns the URL with the other scheme. That is not in a request, so it is the part most easily mistaken. */
export function otherScheme(
  raw: RawRequest,
  targetUri: string,
  { scheme, url }: TargetSettings,
): { readonly uri: string; readonly hint: string } | undefined {
  if (url !== undefined || !raw.target.startsWith('/')) return undefined;
  const other = scheme === 'https' ? 'http' : 'https';
  const uri = targetUri.replace(/^https?/, other);
  return { uri, hint: `The signature is for ${uri}: give --scheme ${other}.` };
}

import { wrongType } from '@countersign/signature/profile';

/**
 * Returns the base URLs that clients may have called, each in the forms that may occur in a signed URL.
 *
 * @throws TypeError if one is not a base URL
 */
export function readAudience(baseUrls: readonly string[]): readonly string[] {
  if (!Array.isArray(baseUrls) || !baseUrls.every((baseUrl) => typeof baseUrl === 'string'))
    throw wrongType('audience', baseUrls, 'an array of base URLs');
  if (baseUrls.length === 0 || baseUrls.length > baseUrlsMax)
    throw new TypeError(`audience must name 1 to ${baseUrlsMax} base URLs of this API.`);
  return baseUrls.flatMap((baseUrl) => {
    const [, scheme, authority, path] = /^(https?):\/\/([^/?#@\s]+)((?:\/[^/?#\s]+)*)$/.exec(baseUrl) ?? [];
    if (authority === undefined)
      throw new TypeError(
        `${JSON.stringify(baseUrl)} is not a base URL: write scheme and host, like https://api.example.com`,
      );
    // Some clients name the default port in Host and in the URL that they sign.
    const port = /:\d+$/.test(authority) ? undefined : scheme === 'https' ? 443 : 80;
    return port === undefined ? [baseUrl] : [baseUrl, `${scheme}://${authority}:${port}${path}`];
  });
}

/** The maximum number. Each of them costs a verification when a signature is wrong. */
const baseUrlsMax = 16;

/** Returns the URLs that a client may have called to send this target: a raw target or a full URL. */
export function calledUrls(url: string, audience: readonly string[]): readonly string[] {
  if (url.startsWith('/')) return audience.map((baseUrl) => baseUrl + url);
  return audience.some((baseUrl) => url.startsWith(`${baseUrl}/`)) ? [url] : [];
}

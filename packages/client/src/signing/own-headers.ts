import { SigningError } from '@countersign/signature';
import type { RequestSigner } from './request-signer.ts';

/**
 * Returns the headers that an adapter or its client writes, whatever the caller set, in lower case: those of the signature, of
 * which earlier attempts' are replaced or removed, `Host`, which is part of the signed URL, and those that delimit the body (RFC
 * 9112 section 6). If a body were longer than announced, the rest would be read as the next request on the connection.
 */
export function ownHeaderNames({
  signatureHeaders,
}: Pick<RequestSigner, 'signatureHeaders'>): readonly string[] {
  return [...signatureHeaders, 'content-length', 'transfer-encoding', 'host'];
}

/** Returns true for an own header of which signing needs to know what the caller set. */
export function isReplaced(name: string): boolean {
  return name === 'host' || name === 'content-digest';
}

/**
 * Checks the caller's `Host`. The service verifies the signature of a URL with this host.
 *
 * @throws SigningError `request_invalid` if it differs from the URL's
 */
export function checkHost(given: string | null | undefined, url: string): void {
  if (given === null || given === undefined) return;
  const { host, protocol } = new URL(url);
  const defaultPort = protocol === 'https:' ? ':443' : ':80';
  if (
    given
      .trim()
      .toLowerCase()
      .replace(new RegExp(`${defaultPort}$`), '') === host
  )
    return;
  throw new SigningError(
    'request_invalid',
    `The Host header of this request is not that of its URL, ${host}, which is signed. Leave Host out, and call the URL by the name that the service knows.`,
  );
}

/** Returns the header lines that the caller controls. */
export function withoutOwn(
  headers: Iterable<readonly [name: string, value: string]>,
  signer: Pick<RequestSigner, 'signatureHeaders'>,
): [string, string][] {
  const own = ownHeaderNames(signer);
  return [...headers].flatMap(([name, value]): [string, string][] =>
    own.includes(name.toLowerCase()) ? [] : [[name, value]],
  );
}

import { SigningError } from '@countersign/signature';

/** The headers of a signature, in lower case. Those of an earlier attempt are replaced or removed. */
export const signatureHeaderNames = [
  'content-digest',
  'date',
  'signature',
  'signature-agent',
  'signature-input',
] as const;

/**
 * The headers that an adapter or its client writes, whatever the caller set: those of the signature, `Host`,
 * which is part of the signed URL, and those that delimit the body (RFC 9112 section 6). If a body were
 * longer than announced, the rest would be read as the next request on the connection.
 */
export const ownHeaderNames: readonly string[] = [
  ...signatureHeaderNames,
  'content-length',
  'transfer-encoding',
  'host',
];

const own: ReadonlySet<string> = new Set(ownHeaderNames);

export function isOwnHeader(name: string): boolean {
  return own.has(name.toLowerCase());
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
export function withoutOwn(headers: Iterable<readonly [name: string, value: string]>): [string, string][] {
  return [...headers].flatMap(([name, value]): [string, string][] =>
    isOwnHeader(name) ? [] : [[name, value]],
  );
}

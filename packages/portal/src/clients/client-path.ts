/** Returns the path of a client's page. A client ID may contain slashes, question marks and percent signs. */
export function clientPath(clientId: string, rest = ''): string {
  return `/integrations/api-keys/${encodeURIComponent(clientId)}${rest}`;
}

/** Returns the client ID in a raw path, `…/api-keys/{clientId}` or below; empty if there is none. */
export function clientIdOfPath(path: string): string {
  const segment = /\/api-keys\/([^/]+)/.exec(path)?.[1] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

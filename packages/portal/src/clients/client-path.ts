/** Where the page of a client is. A clientId may hold slashes, question marks and percent signs. */
export function clientPath(clientId: string, rest = ''): string {
  return `/integrations/api-keys/${encodeURIComponent(clientId)}${rest}`;
}

/** The clientId in a raw path, `…/api-keys/{clientId}` or below it; empty when there is none that can be read. */
export function clientIdOfPath(path: string): string {
  const segment = /\/api-keys\/([^/]+)/.exec(path)?.[1] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

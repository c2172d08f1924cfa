import type { RequestHead } from '../door.ts';
import { valuesOf } from '../http/framing.ts';
import type { RouteRule } from '../routes/route-table.ts';

/** Returns true if a connection may be prepared to switch to a protocol, for a WebSocket for example, on this route. */
export function mayUpgrade(rule: RouteRule | undefined, protocol: string): boolean {
  if (rule === undefined) return false;
  // Another protocol could carry requests for routes that enforce.
  return rule.upgrades.includes(protocol) || (rule.mode === 'observe' && protocol === 'websocket');
}

/** Returns the protocol that a request asks for although the route does not list it. */
export function unlistedUpgrade(
  head: RequestHead,
  { upgrades }: Pick<RouteRule, 'upgrades'>,
): string | undefined {
  const asked = askedUpgrade(head);
  return asked === undefined || upgrades.includes(asked) ? undefined : asked;
}

/**
 * Returns the protocol that the request asks to switch to. Ignores `h2c`, which some clients offer with every
 * request (RFC 9110 section 7.8).
 */
export function askedUpgrade({ rawHeaders }: RequestHead): string | undefined {
  const protocols = valuesOf(rawHeaders, 'upgrade').join(',').toLowerCase().split(',');
  const asked = protocols
    .map((protocol) => protocol.trim())
    .filter((name) => name !== '' && name !== ignoredProtocol);
  return asked.length === 0 ? undefined : asked.join(', ');
}

const ignoredProtocol = 'h2c';

import { parseAddress, type Address } from './address.ts';
import type { NetworkWhitelist } from './network-whitelist.ts';

/**
 * Finds the address that a request comes from.
 *
 * `X-Forwarded-For` is trusted only if the peer is a trusted proxy. Then it is read from the right, and the first
 * address that isn't a trusted proxy is the source; if all are trusted, the left-most is. Anything further left was
 * written by the caller and is ignored.
 *
 * Undefined, which every whitelist rejects, means no peer address (the socket is closed) or a trusted proxy that
 * names no readable client. A port after the address is accepted (`198.51.100.9:4711`, `[2001:db8::9]:4711`), because
 * some proxies write one; the quoted form belongs to `Forwarded` and is not read.
 *
 * @param peer the address at the other end of the socket, as text
 * @param xForwardedFor the values of all `X-Forwarded-For` lines, in the order received
 * @param trustedProxies the proxies to trust; none if the list is empty
 */
export function sourceAddress(
  peer: string | undefined,
  xForwardedFor: readonly string[],
  trustedProxies: Pick<NetworkWhitelist, 'allows'>,
): Address | undefined {
  let source = peer === undefined ? undefined : parseAddress(peer);
  if (!trustedProxies.allows(source)) return source;
  for (const line of xForwardedFor.toReversed()) {
    let end = line.length;
    while (end >= 0) {
      // Reads from the right and stops early, so a long header costs only its trusted hops.
      const comma = end === 0 ? -1 : line.lastIndexOf(',', end - 1);
      source = readHop(line.slice(comma + 1, end));
      if (!trustedProxies.allows(source)) return source;
      end = comma;
    }
  }
  return source;
}

/** Longer than any address with brackets, port and a little white space around it. */
const hopCharactersMax = 80;

function readHop(text: string): Address | undefined {
  if (text.length > hopCharactersMax) return undefined;
  const hop = text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
  const withPort = /^(?:([0-9.]{7,15})|\[([0-9a-fA-F:.]{2,45})\])(?::[0-9]{1,5})?$/.exec(hop);
  return parseAddress(withPort?.[1] ?? withPort?.[2] ?? hop);
}

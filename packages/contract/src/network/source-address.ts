import { parseAddress, type Address } from './address.ts';
import type { NetworkWhitelist } from './network-whitelist.ts';

/**
 * Finds the address that a request comes from.
 *
 * `X-Forwarded-For` is believed only when the peer is a trusted proxy. Then the lines are read from the right, and
 * the first address that is not a trusted proxy is the source; when all are trusted it is the left-most. What stands
 * further left was written by the caller and is never looked at.
 *
 * Undefined, which every whitelist refuses: no peer address (the socket is closed), or a trusted proxy that names no
 * readable client. A port after the address is accepted (`198.51.100.9:4711`, `[2001:db8::9]:4711`), as some proxies
 * write it; the quoted form belongs to `Forwarded` and is not read.
 *
 * @param peer the address of the other end of the socket, as text
 * @param xForwardedFor the values of all `X-Forwarded-For` lines, in the order received
 * @param trustedProxies the proxies that are believed; none when the list is empty
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
      // Read from the right and stop: a long header costs only the hops that are trusted.
      const comma = end === 0 ? -1 : line.lastIndexOf(',', end - 1);
      source = readHop(line.slice(comma + 1, end));
      if (!trustedProxies.allows(source)) return source;
      end = comma;
    }
  }
  return source;
}

/** An address with brackets, port and some white space around it is shorter than this. */
const hopCharactersMax = 80;

function readHop(text: string): Address | undefined {
  if (text.length > hopCharactersMax) return undefined;
  const hop = text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
  const withPort = /^(?:([0-9.]{7,15})|\[([0-9a-fA-F:.]{2,45})\])(?::[0-9]{1,5})?$/.exec(hop);
  return parseAddress(withPort?.[1] ?? withPort?.[2] ?? hop);
}

import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { speaksFirst } from './early-bytes.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/**
 * IPv4 networks that a named upstream must not resolve to: link-local addresses with their metadata services,
 * and networks without hosts.
 */
const neverIpv4: readonly Ipv4Network[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  // Metadata services outside the link-local network: Alibaba, Oracle, Azure.
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
];
const neverAnUpstream = blockListOf(neverIpv4);
neverAnUpstream.addAddress('::', 'ipv6');
neverAnUpstream.addSubnet('fe80::', 10, 'ipv6');
neverAnUpstream.addSubnet('ff00::', 8, 'ipv6');
// Metadata services: AWS, Google.
neverAnUpstream.addAddress('fd00:ec2::254', 'ipv6');
neverAnUpstream.addAddress('fd20:ce::254', 'ipv6');

const thisMachine = blockListOf([['127.0.0.0', 8]]);
thisMachine.addAddress('::1', 'ipv6');

type Ipv4Network = readonly [address: string, prefix: number];

/** Returns a list of networks, including their IPv6 forms: IPv4-compatible, NAT64 (RFC 6052), and 6to4 (RFC 3056). */
function blockListOf(networks: readonly Ipv4Network[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) {
    list.addSubnet(address, prefix, 'ipv4');
    const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
    const high = (a * 256 + b).toString(16);
    const low = (c * 256 + d).toString(16);
    list.addSubnet(`64:ff9b::${high}:${low}`, 96 + prefix, 'ipv6');
    list.addSubnet(`2002:${high}:${low}::`, 16 + prefix, 'ipv6');
    // `::` and `::1` are within ::/104.
    if (a !== 0) list.addSubnet(`::${high}:${low}`, 96 + prefix, 'ipv6');
  }
  return list;
}

/**
 * Returns why a name must not resolve to an address; undefined if it may. A name can be repointed (DNS
 * rebinding), so no name may resolve to this machine, except `localhost`, or to a metadata service.
 */
function problemOfAddress(hostname: string, address: string): string | undefined {
  const plain = address.replace(/%.*$/s, '');
  // The lists handle IPv4-mapped addresses themselves.
  const family = isIP(plain) === 4 ? 'ipv4' : 'ipv6';
  if (isIP(plain) === 0 || neverAnUpstream.check(plain, family))
    return `${hostname} resolves to ${address}, which cannot be an upstream`;
  if (thisMachine.check(plain, family) && !/(?:^|\.)localhost$/.test(hostname))
    return `${hostname} resolves to this machine; write localhost or 127.0.0.1 if that is intended`;
  return undefined;
}

/** Resolves a name to all its addresses, as `lookup` of node:dns does. */
export type NameLookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * Creates the function that opens connections to an upstream's addresses only.
 *
 * @param resolve resolves names; each result is checked and then used, so there is no second lookup
 */
export function upstreamConnector(
  { tls, http2, connectSeconds }: Pick<UpstreamSettings, 'tls' | 'http2' | 'connectSeconds'>,
  onConnected: (socket: Socket) => void,
  resolve: NameLookup = lookup,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectSeconds * 1000,
    allowH2: http2,
    lookup: checkedLookup(resolve),
    keepAlive: true,
    ...(tls?.serverName !== undefined && { servername: tls.serverName }),
    ...(tls?.certificateAuthority !== undefined && { ca: tls.certificateAuthority }),
    ...(tls?.certificate !== undefined && { cert: tls.certificate }),
    ...(tls?.key !== undefined && { key: tls.key }),
  });
  // undici would take the TLS server name from the request's Host, which is the client's, not the upstream's.
  return ({ servername: _fromHost, ...options }, callback) => {
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return callback(error, null);
      void speaksFirst(socket).then((isFirst) => {
        if (isFirst || socket.destroyed) {
          socket.destroy();
          const reason = isFirst ? 'it sent bytes before a request' : 'the connection closed immediately';
          return callback(new Error(reason), null);
        }
        onConnected(socket);
        return callback(null, socket);
      });
    });
  };
}

function checkedLookup(resolve: NameLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      for (const { address } of addresses) {
        const problem = problemOfAddress(hostname, address);
        if (problem !== undefined) return callback(new Error(problem), '', 0);
      }
      const [first] = addresses;
      if (first === undefined) return callback(new Error(`${hostname} has no address`), '', 0);
      if (options.all) return callback(null, [...addresses]);
      return callback(null, first.address, first.family);
    });
  };
}

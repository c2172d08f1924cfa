import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { UpstreamSettings } from './upstream-settings.ts';

/** Networks in which no named upstream is: link-local addresses with their metadata services, and no hosts at all. */
const neverAnUpstream = new BlockList();
neverAnUpstream.addSubnet('0.0.0.0', 8, 'ipv4');
neverAnUpstream.addSubnet('169.254.0.0', 16, 'ipv4');
neverAnUpstream.addSubnet('224.0.0.0', 3, 'ipv4');
neverAnUpstream.addSubnet('::', 128, 'ipv6');
neverAnUpstream.addSubnet('fe80::', 10, 'ipv6');
neverAnUpstream.addSubnet('ff00::', 8, 'ipv6');
neverAnUpstream.addAddress('fd00:ec2::254', 'ipv6');

const thisMachine = new BlockList();
thisMachine.addSubnet('127.0.0.0', 8, 'ipv4');
thisMachine.addAddress('::1', 'ipv6');

/**
 * Returns why a name must not lead to an address; undefined if it may. A name can be made to point elsewhere (DNS
 * rebinding), so names lead neither to this machine, `localhost` aside, nor to metadata services.
 */
function problemOfAddress(hostname: string, address: string): string | undefined {
  const unmapped = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  const family = isIP(unmapped) === 4 ? 'ipv4' : 'ipv6';
  if (neverAnUpstream.check(unmapped, family))
    return `${hostname} leads to ${address}, where no upstream can be`;
  if (thisMachine.check(unmapped, family) && !/(?:^|\.)localhost$/.test(hostname))
    return `${hostname} leads to this machine; write localhost or 127.0.0.1 if that is meant`;
  return undefined;
}

/** Creates the function that opens connections to an upstream's addresses, and nowhere else. */
export function upstreamConnector(
  { tls, http2, connectSeconds }: Pick<UpstreamSettings, 'tls' | 'http2' | 'connectSeconds'>,
  onConnected: (socket: Socket) => void,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectSeconds * 1000,
    allowH2: http2,
    lookup: checkedLookup,
    keepAlive: true,
    ...(tls?.serverName !== undefined && { servername: tls.serverName }),
    ...(tls?.certificateAuthority !== undefined && { ca: tls.certificateAuthority }),
    ...(tls?.certificate !== undefined && { cert: tls.certificate }),
    ...(tls?.key !== undefined && { key: tls.key }),
  });
  return (options, callback) => {
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return callback(error, null);
      onConnected(socket);
      return callback(null, socket);
    });
  };
}

const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    for (const { address } of addresses) {
      const problem = problemOfAddress(hostname, address);
      if (problem !== undefined) return callback(new Error(problem), '', 0);
    }
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    return callback(null, first!.address, first!.family);
  });
};

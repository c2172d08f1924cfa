import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { DirectoryFault } from './directory-problem.ts';
import { addressInUrl, type DirectoryUrl } from './directory-url.ts';
import { isPublicAddress, isTrustableAddress } from './public-address.ts';

/** What reaches the network. Tests replace it. */
export interface NetworkMeans {
  /** Returns every address of a name. Rejects if there is none. */
  readonly resolve: (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Opens a TCP connection to an address; never gets a name. */
  readonly openSocket: (target: { readonly address: string; readonly port: number }) => Socket;
  /** Certificate authorities in PEM, instead of those that Node trusts. */
  readonly certificateAuthorities?: readonly string[] | undefined;
  /** The protocols to offer in TLS (RFC 7301). Default HTTP/1.1; empty for none. */
  readonly applicationProtocols?: readonly string[] | undefined;
}

/**
 * Connects to the host of a URL that a stranger may have named, of a directory or a webhook; with TLS for https.
 *
 * The name is resolved once, every address must be allowed, and the connection goes to one of the checked addresses: a name
 * that leads elsewhere a moment later changes nothing.
 *
 * @throws DirectoryFault `name_unresolved`, `address_not_public`, `connection_failed`, `tls_failed`
 */
export async function connectChecked(
  directory: DirectoryUrl,
  means: NetworkMeans,
  signal: AbortSignal,
): Promise<Socket> {
  const { url } = directory;
  const addresses = await allowedAddresses(directory, means, signal);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const socket = await openFirst(addresses, port, means, signal);
  return url.protocol === 'https:' ? secure(socket, url, means, signal) : socket;
}

/**
 * Asks the name servers themselves, never `getaddrinfo`: that would occupy a thread of Node's pool, which files and keys need too,
 * for as long as a stranger's name server likes.
 */
export const resolveOnInternet: NetworkMeans['resolve'] = async (hostname, signal) => {
  const resolver = new Resolver({ timeout: 1500, tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

export const openTcpSocket: NetworkMeans['openSocket'] = ({ address, port }) =>
  connect({ host: address, port, autoSelectFamily: false });

async function allowedAddresses(
  { url, isTrusted }: DirectoryUrl,
  means: NetworkMeans,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const written = addressInUrl(url);
  const addresses =
    written === undefined ? await addressesOf(url.hostname, isTrusted, means, signal) : [written];
  if (addresses.length === 0) throw new DirectoryFault('name_unresolved');
  const isAllowed = isTrusted ? isTrustableAddress : isPublicAddress;
  if (addresses.length > addressesMax || !addresses.every(isAllowed))
    throw new DirectoryFault('address_not_public');
  return addresses;
}

async function addressesOf(
  hostname: string,
  isTrusted: boolean,
  { resolve }: NetworkMeans,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    // Names of an intranet may only be in the hosts file. The operator vouches for their name servers.
    if (isTrusted && resolve === resolveOnInternet)
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    return await resolve(hostname, signal);
  } catch {
    throw new DirectoryFault('name_unresolved');
  }
}

async function openFirst(
  addresses: readonly string[],
  port: number,
  means: NetworkMeans,
  signal: AbortSignal,
): Promise<Socket> {
  for (const address of inOrderOfTrial(addresses)) {
    signal.throwIfAborted();
    const socket = await open(means.openSocket({ address, port }), signal);
    if (socket !== undefined) return socket;
  }
  throw new DirectoryFault('connection_failed');
}

/** Takes the two families in turn, because one of them may not work here at all. */
function inOrderOfTrial(addresses: readonly string[]): readonly string[] {
  const ipv4 = addresses.filter((address) => !isIPv6(address));
  const ipv6 = addresses.filter((address) => isIPv6(address));
  const mixed = Array.from({ length: attemptsMax }, (_, index) => [ipv4[index], ipv6[index]]).flat();
  return mixed.filter((address) => address !== undefined).slice(0, attemptsMax);
}

/** Waits until a socket is connected; undefined if it cannot be. */
async function open(socket: Socket, signal: AbortSignal): Promise<Socket | undefined> {
  socket.on('error', () => undefined);
  socket.setTimeout(connectMsMax, () => socket.destroy(new Error('The server does not answer.')));
  try {
    await once(socket, 'connect', { signal });
    socket.setTimeout(0);
    return socket;
  } catch {
    socket.destroy();
    signal.throwIfAborted();
    return undefined;
  }
}

async function secure(
  socket: Socket,
  url: URL,
  { certificateAuthorities, applicationProtocols = ['http/1.1'] }: NetworkMeans,
  signal: AbortSignal,
): Promise<Socket> {
  const address = addressInUrl(url);
  const secured = connectTls({
    socket,
    // The certificate is checked for this name, or for the address in a URL that the operator trusts.
    ...(address === undefined ? { servername: url.hostname } : { host: address }),
    ...(certificateAuthorities !== undefined && { ca: [...certificateAuthorities] }),
    ...(applicationProtocols.length > 0 && { ALPNProtocols: [...applicationProtocols] }),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  });
  secured.on('error', () => undefined);
  try {
    await once(secured, 'secureConnect', { signal });
  } catch {
    secured.destroy();
    socket.destroy();
    signal.throwIfAborted();
    throw new DirectoryFault('tls_failed');
  }
  return secured;
}

/** No honest name has more; checking what a stranger's name server sends must end. */
const addressesMax = 32;
const attemptsMax = 4;
/** For one address, so that an unreachable one leaves time for the next. */
const connectMsMax = 1500;

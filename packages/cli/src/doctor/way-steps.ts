import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { unreachable } from '../sending/unreachable.ts';
import type { Checkup } from './checkup.ts';

const timeoutMs = 10_000;
const dayMs = 86_400_000;

/** Checks the path to the service: its name, a connection, and its certificate. */
export async function checkWay(checkup: Checkup, url: URL, nowMs: number): Promise<void> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  await checkName(checkup, host, url);
  const isSecure = url.protocol === 'https:';
  const startedMs = performance.now();
  const socket = await opened(connect(port, host), 'connect', checkup, 'connection', url);
  checkup.ok(
    'connection',
    `${socket.remoteAddress}:${port} in ${Math.round(performance.now() - startedMs)} ms`,
  );
  if (!isSecure) {
    socket.destroy();
    if (isLoopback(host)) checkup.ok('TLS', 'none, which is fine on this machine');
    else
      checkup.warn(
        'TLS',
        'none: others on the way can read and change what is sent',
        "Use the service's https URL, unless something on this machine encrypts the connection.",
      );
    return;
  }
  await checkTls(checkup, socket, host, url, nowMs);
}

async function checkName(checkup: Checkup, host: string, url: URL): Promise<void> {
  if (isIP(host) !== 0) {
    checkup.ok('DNS', `${host} is an address`);
    return;
  }
  try {
    const addresses = await lookup(host, { all: true });
    checkup.ok('DNS', `${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const { message } = unreachable(error, url, undefined);
    checkup.end('DNS', 'unreachable', message, 'Compare the host with the API address that you were given.');
  }
}

async function checkTls(
  checkup: Checkup,
  plain: Socket,
  host: string,
  url: URL,
  nowMs: number,
): Promise<void> {
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = connectTls({ socket: plain, ...servername });
  await opened(socket, 'secureConnect', checkup, 'TLS', url);
  const { valid_to: validTo, issuer } = socket.getPeerCertificate();
  const days = Math.floor((Date.parse(validTo) - nowMs) / dayMs);
  const certificate = `${socket.getProtocol()}, certificate of ${String(issuer.O ?? issuer.CN)} for ${days} more days`;
  socket.destroy();
  if (days >= 14) checkup.ok('TLS', certificate);
  else checkup.warn('TLS', certificate, 'Tell whoever runs the service that its certificate ends soon.');
}

async function opened<Kind extends Socket | TLSSocket>(
  socket: Kind,
  event: 'connect' | 'secureConnect',
  checkup: Checkup,
  step: string,
  url: URL,
): Promise<Kind> {
  try {
    await once(socket, event, { signal: AbortSignal.timeout(timeoutMs) });
    return socket;
  } catch (error) {
    socket.destroy();
    const seconds = (error as Error).name === 'AbortError' ? timeoutMs / 1000 : undefined;
    const failure = unreachable(error, url, seconds);
    return checkup.end(
      step,
      'unreachable',
      failure.message,
      step === 'TLS'
        ? 'A proxy of your company may replace certificates: name the file of its authority in NODE_EXTRA_CA_CERTS.'
        : 'Check host and port, and whether a firewall lets this machine out.',
    );
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

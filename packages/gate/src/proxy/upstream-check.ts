import type { Socket } from 'node:net';
import { upstreamConnector } from './upstream-connector.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/**
 * Opens a connection to each address of an upstream as the gateway would, including TLS, and closes it again.
 * Sends no request.
 *
 * @returns one sentence for each address that cannot be used, in their order
 */
export async function checkUpstream(settings: UpstreamSettings): Promise<readonly string[]> {
  const connect = upstreamConnector(settings, () => undefined);
  const found = await Promise.all(
    settings.addresses.map(async (address) => {
      try {
        const socket = await openConnection(connect, address);
        socket.destroy();
        return [];
      } catch (error) {
        return [`${address} cannot be reached (${reasonOf(error)})`];
      }
    }),
  );
  return found.flat();
}

function openConnection(connect: ReturnType<typeof upstreamConnector>, address: string): Promise<Socket> {
  const { protocol, hostname, host, port } = new URL(address);
  return new Promise((resolve, reject) => {
    connect({ protocol, hostname, host, port }, (...[error, socket]) => {
      if (error) reject(error);
      else resolve(socket);
    });
  });
}

/** Describes the error. The error for a name with several addresses has no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (message === '') return String(code);
  return code === undefined || message.includes(code) ? message : `${code}: ${message}`;
}

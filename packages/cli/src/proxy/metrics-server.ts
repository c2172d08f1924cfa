import { createServer, type Server } from 'node:http';
import { hostsOf, listenAt, type LocalPlace } from './listen.ts';

export interface MetricsServer {
  /** The address for people. */
  readonly address: string;
  close(): void;
}

/** Serves metrics at `/metrics`, to callers whose `Host` names this machine. */
export async function serveMetrics(place: LocalPlace, text: () => string): Promise<MetricsServer> {
  const hosts = new Set<string>();
  const server: Server = createServer(({ method, url, headers: { host = '' } }, response) => {
    const status = !hosts.has(host.toLowerCase()) ? 403 : method === 'GET' && url === '/metrics' ? 200 : 404;
    response.writeHead(status, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(status === 200 ? text() : `${status}\n`);
  });
  const address = await listenAt(server, place);
  for (const host of hostsOf(place, address)) hosts.add(host);
  return {
    address,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

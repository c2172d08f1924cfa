import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';
import { http } from '@countersign/gate/node-http';

/** A running metrics listener. */
export interface MetricsListener {
  /** The address to connect to, `http://host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics`, and nothing else, on its own port: metrics are for operators and unreachable through the ports
 * that clients call. Rejects if the port cannot be opened.
 */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  { host, port, logger }: { readonly host: string; readonly port: number; readonly logger: Logger },
): Promise<MetricsListener> {
  const server = http.createServer(
    { maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 10_000, keepAliveTimeout: 65_000 },
    (request, response) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead || request.url?.split('?', 1)[0] !== '/metrics') {
        response.writeHead(404, { Connection: 'close' }).end();
        return;
      }
      metrics.text().then(
        (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
        (error: unknown) => {
          logger.error({ error }, 'the metrics could not be read');
          response.writeHead(500).end();
        },
      );
    },
  );
  // Collectors need few connections. The limit keeps the reserved descriptors from being used up here.
  server.maxConnections = 32;
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The metrics cannot be served on ${host} port ${port} (${code}): choose others with ` +
        'COUNTERSIGN_METRICS_HOST and COUNTERSIGN_METRICS_PORT.',
      { cause: error },
    );
  }
  server.on('error', (error) => logger.error({ error }, 'a connection to the metrics could not be accepted'));
  const { port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

import type { ConnectionLimits } from '@countersign/gate';
import { nodeConnections } from '../storage/node-connections.ts';
import { socketsPerServer } from '../lifecycle/listening.ts';
import type { Configuration } from '../configuration/load.ts';

/** Connection limits, and advice for the operator. */
export interface DerivedConnectionLimits extends ConnectionLimits {
  /** Undefined if there is nothing to do. */
  readonly advice: string | undefined;
}

/** Descriptors reserved for files, threads, metrics, bodies on disk and the replay guard. */
const ownDescriptors = 160;
/** The highest default, because more idle connections would only cost memory. */
const defaultMax = 10_000;
/** The minimum: with fewer connections, the service would be useless. */
const fewestMax = 16;
const fewMax = 1000;

/**
 * Derives the connection limits from the settings and the process's file descriptor limit, so that connections
 * never take the descriptors that requests need.
 *
 * @param descriptorsMax undefined if there is no limit
 * @throws Error that says what to do when there are too few
 */
export function connectionLimits(
  settings: Configuration,
  descriptorsMax: number | undefined,
): DerivedConnectionLimits {
  const { connectionsMax, addressConnectionsMax, unprovedIdleSeconds } = settings;
  const reserved =
    ownDescriptors + listeningSockets(settings) + storeConnections(settings) + upstreamConnections(settings);
  const available = (descriptorsMax ?? Number.POSITIVE_INFINITY) - reserved;
  const wanted = connectionsMax ?? Math.min(defaultMax, available);
  const shortage = `this process may open ${descriptorsMax} files and needs ${reserved} of them itself`;
  const raise = 'Raise the limit (LimitNOFILE in the systemd unit, or ulimit -n)';
  if (connectionsMax !== undefined && connectionsMax > available)
    throw new Error(
      `COUNTERSIGN_CONNECTIONS_MAX is ${connectionsMax}, but ${shortage}. ${raise} to at least ${connectionsMax + reserved}.`,
    );
  if (wanted < fewestMax)
    throw new Error(
      `There are too few file descriptors for connections: ${shortage}. ${raise} to ${defaultMax + reserved}.`,
    );
  const isFew = connectionsMax === undefined && wanted < fewMax;
  return {
    connectionsMax: wanted,
    addressConnectionsMax,
    unprovedIdleMs: unprovedIdleSeconds * 1000,
    advice: isFew ? `${shortage}. ${raise} to ${defaultMax + reserved}` : undefined,
  };
}

/** Counts the listening sockets of the console, of the API in each of its threads, and of the authorizers. */
function listeningSockets({ port, apiPort, routing, threads, authorizers }: Configuration): number {
  const isShared = port === apiPort && port !== 0;
  const apiServers = routing === undefined || isShared ? 0 : threads;
  const authorizerServers = Object.keys(authorizers).length > 0 ? 1 : 0;
  return socketsPerServer * (1 + apiServers + authorizerServers);
}

/** Counts the connections in PostgreSQL's pool, those outside it, and those to Redis. */
function storeConnections({ databaseUrl, databaseConnectionsMax, redisUrl }: Configuration): number {
  const besidePool = Object.values(nodeConnections).reduce((sum, count) => sum + count, 0);
  return (
    (databaseUrl === undefined ? 0 : databaseConnectionsMax + besidePool) + (redisUrl === undefined ? 0 : 4)
  );
}

function upstreamConnections({ routing }: Configuration): number {
  const counts = (routing?.upstreams ?? []).map(
    ({ addresses, connectionsMax }) => addresses.length * connectionsMax,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

import { performance } from 'node:perf_hooks';
import { NetworkWhitelist } from '@countersign/contract';
import {
  BucketTable,
  ConnectionBudget,
  type ConnectionFigures,
  type ConnectionLimits,
  type Overload,
} from '@countersign/gate';
import type { Logger } from 'pino';
import { connectionLimits } from './connection-limits.ts';
import type { Configuration } from '../configuration/load.ts';
import { descriptorLimit } from '../telemetry/descriptors.ts';
import type { EventLoopLoad } from '../telemetry/event-loop-load.ts';
import { rareLine } from '../telemetry/rare-line.ts';

/** Proxies whose connections are not limited: those that forward for clients, and those that query authorizers. */
export interface TrustedPeers {
  readonly proxies: Pick<NetworkWhitelist, 'allows'>;
  readonly queryingProxies: Pick<NetworkWhitelist, 'allows'>;
}

/**
 * Opens the budget of connections that all listeners share.
 *
 * @throws Error that says what to do if the process may open too few files
 */
export function openConnectionBudget(
  settings: Configuration,
  load: EventLoopLoad,
  logger: Logger,
): ConnectionBudget {
  const { advice } = connectionLimits(settings, descriptorLimit());
  const limits = connectionLimitsOfThread(settings);
  if (advice !== undefined)
    logger.warn({ connectionsMax: limits.connectionsMax }, `the connection limit is low: ${advice}`);
  return new ConnectionBudget({
    ...limits,
    overload: overloadFrom(settings, load),
    monotonicMs: () => performance.now(),
    onTurnedAway: turnedAwayLine(logger),
  });
}

/** The number of addresses whose failures are remembered; beyond it, those that failed longest ago are forgotten. */
const addressesMax = 100_000;

/**
 * Describes how failing addresses are treated while this thread is overloaded; undefined to treat all addresses
 * alike.
 */
export function overloadFrom(
  { overloadFailuresPerMinuteMax }: Pick<Configuration, 'overloadFailuresPerMinuteMax'>,
  load: Pick<EventLoopLoad, 'isOverloaded'>,
): Overload | undefined {
  if (overloadFailuresPerMinuteMax === 0) return undefined;
  const policy = {
    tokensMax: Math.ceil(overloadFailuresPerMinuteMax / 3),
    tokensPerSecond: overloadFailuresPerMinuteMax / 60,
  };
  const buckets = new BucketTable(policy, () => performance.now(), addressesMax);
  return {
    isOverloaded: () => load.isOverloaded,
    failures: {
      tokensMax: policy.tokensMax,
      tokens: (address) => buckets.tokens(address),
      // Debt is capped, so an address that stops failing is accepted again once its allowance has refilled.
      take: (address) => void (buckets.tokens(address) > -policy.tokensMax && buckets.take(address)),
    },
  };
}

/**
 * Creates a function that logs, at most once a minute, how many connections were turned away, with the latest
 * source address.
 */
export function turnedAwayLine(logger: Logger): (sourceAddress: string) => void {
  return rareLine<string>((count, sourceAddress) =>
    logger.warn({ count, sourceAddress }, 'connections were turned away'),
  );
}

/** Returns the limits of one thread: the main thread and those that serve the API have equal shares. */
export function connectionLimitsOfThread(settings: Configuration): ConnectionLimits {
  const { connectionsMax, addressConnectionsMax, unprovedIdleMs } = connectionLimits(
    settings,
    descriptorLimit(),
  );
  const { threads } = settings;
  if (threads === 1) return { connectionsMax, addressConnectionsMax, unprovedIdleMs };
  return {
    connectionsMax: Math.max(1, Math.floor(connectionsMax / (threads + 1))),
    // 0 means no limit.
    addressConnectionsMax: Math.ceil(addressConnectionsMax / threads),
    unprovedIdleMs,
  };
}

export function trustedPeers({
  trustedProxies,
  authorizers,
}: Pick<Configuration, 'trustedProxies' | 'authorizers'>): TrustedPeers {
  const proxies = NetworkWhitelist.fromTexts(trustedProxies);
  const queryingProxies = NetworkWhitelist.fromTexts(Object.values(authorizers).flatMap(({ from }) => from));
  return {
    proxies,
    queryingProxies: { allows: (address) => queryingProxies.allows(address) || proxies.allows(address) },
  };
}

/** Adds the connections of one thread to those of others. */
export function sumOfFigures(all: ConnectionFigures, one: ConnectionFigures): ConnectionFigures {
  return {
    openCount: all.openCount + one.openCount,
    unprovedCount: all.unprovedCount + one.unprovedCount,
    connectionsMax: all.connectionsMax + one.connectionsMax,
    turnedAwayCount: all.turnedAwayCount + one.turnedAwayCount,
  };
}

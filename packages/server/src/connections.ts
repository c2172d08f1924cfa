import { performance } from 'node:perf_hooks';
import { NetworkWhitelist } from '@countersign/contract';
import { ConnectionBudget } from '@countersign/gate';
import type { Logger } from 'pino';
import { connectionLimits } from './configuration/connection-limits.ts';
import type { Configuration } from './configuration/load.ts';
import { descriptorLimit } from './telemetry/descriptors.ts';
import { rareLine } from './telemetry/rare-line.ts';

/** Proxies that are not limited: those that forward for clients, and those that ask authorizers as well. */
export interface TrustedPeers {
  readonly proxies: Pick<NetworkWhitelist, 'allows'>;
  readonly asking: Pick<NetworkWhitelist, 'allows'>;
}

/**
 * Opens the budget of connections that all listeners share.
 *
 * @throws Error that says what to do if the process may open too few files
 */
export function openConnectionBudget(settings: Configuration, logger: Logger): ConnectionBudget {
  const { advice, ...limits } = connectionLimits(settings, descriptorLimit());
  if (advice !== undefined)
    logger.warn({ connectionsMax: limits.connectionsMax }, `few connections: ${advice}`);
  return new ConnectionBudget({
    ...limits,
    monotonicMs: () => performance.now(),
    onTurnedAway: rareLine<string>((count, sourceAddress) =>
      logger.warn({ count, sourceAddress }, 'connections were turned away'),
    ),
  });
}

export function trustedPeers({ trustedProxies, authorizers }: Configuration): TrustedPeers {
  const proxies = NetworkWhitelist.fromTexts(trustedProxies);
  const asking = NetworkWhitelist.fromTexts(Object.values(authorizers).flatMap(({ from }) => from));
  return {
    proxies,
    asking: { allows: (address) => asking.allows(address) || proxies.allows(address) },
  };
}

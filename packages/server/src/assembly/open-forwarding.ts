import type { ListenerLimits } from '@countersign/gate';
import type { Configuration } from '../configuration/load.ts';
import { ForwardingKeys } from '../forwarding/forwarding-keys.ts';
import { LiveRouting, type UpstreamCode } from '../routing/live-routing.ts';
import type { Threads } from '../threads/threads.ts';
import type { Closers } from './closers.ts';
import type { Ground } from './ground.ts';
import { healthOfNode } from './open-health.ts';
import type { Forwarding, Parts } from './parts.ts';
import type { ServiceOverrides } from './service-overrides.ts';
import { signsAnything } from './use-configuration.ts';

/** Opens the keys that sign forwarded requests and responses, and publishes one if anything is signed. */
export async function openForwardingKeys(
  settings: Configuration,
  { ground, stores }: Pick<Parts, 'ground' | 'stores'>,
  { useForwardingKeys }: Pick<Threads, 'useForwardingKeys'>,
  closers: Closers,
): Promise<ForwardingKeys> {
  const keys = new ForwardingKeys({
    database: stores.database,
    nowMs: ground.nowMs,
    onChange: useForwardingKeys,
    onError: (error) => ground.logger.error({ error }, 'a key for signing could not be published'),
  });
  closers.push(() => keys.close());
  if (signsAnything(settings)) await keys.start();
  return keys;
}

/** Loads the code of the upstreams; undefined if no API is protected, which only a restart can change. */
export async function loadUpstreams({ routing }: Configuration): Promise<UpstreamCode | undefined> {
  return routing && (await import('@countersign/gate/upstream'));
}

/** Opens the routes and upstreams, if an API is protected. */
export function openForwarding(
  code: UpstreamCode | undefined,
  { routing: configured, apiBaseUrls, baseUrlProfiles }: Configuration,
  { monotonicMs }: Ground,
  { keys, threads }: Pick<Forwarding, 'keys' | 'threads'>,
  closers: Closers,
): Forwarding {
  const routing = new LiveRouting(code, monotonicMs);
  closers.push(() => routing.close());
  // The service's own base URLs can accept only some profiles, too.
  if (configured) routing.use(configured, apiBaseUrls);
  else routing.use({ upstreams: [], routes: [], baseUrlProfiles }, []);
  return { routing, keys, threads, upstreamFigures: () => threads.upstreamFigures(routing.figures()) };
}

/** Starts the threads that serve the protected API, if there are any. Rejects if one cannot listen. */
export async function startThreads(
  configuration: Configuration,
  parts: Pick<Parts, 'ground' | 'stores' | 'decision' | 'forwarding' | 'telemetry'>,
  listener: ListenerLimits,
  { clock }: Pick<ServiceOverrides, 'clock'>,
): Promise<void> {
  const { ground, stores, decision, forwarding, telemetry } = parts;
  const { guard, registry } = stores;
  await forwarding.threads.start({
    configuration,
    rules: decision.rules,
    ...(guard.shared && { guard: guard.shared }),
    registry,
    observer: telemetry.observer,
    onHandled: (durationMs, upstream) => telemetry.metrics.handled(durationMs, upstream),
    logger: ground.logger,
    clock,
    listener,
    health: () => healthOfNode(parts, false),
  });
}

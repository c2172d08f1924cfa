import { namesNotForwarded } from '../proxy/forwarded-headers.ts';
import type { HeaderPairs } from './authorizer.ts';

/**
 * Returns the client's headers that Envoy must remove, as lower-case names. Envoy removes after it sets, so
 * the names that it sets are not included.
 */
export function namesToRemove(rawHeaders: readonly string[], set: HeaderPairs): string[] {
  const kept = new Set([...set.map(([name]) => name.toLowerCase()), ...ofEnvoy]);
  return namesNotForwarded(rawHeaders).filter((name) => !kept.has(name));
}

/** Fields that Envoy writes itself as an edge proxy (`use_remote_address: true`). */
const ofEnvoy = ['x-forwarded-for', 'x-forwarded-proto', 'x-envoy-external-address', 'x-envoy-internal'];

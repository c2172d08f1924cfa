import { namesNotForwarded } from '../proxy/forwarded-headers.ts';
import type { HeaderPairs } from './authorizer.ts';

/**
 * Returns the names, in lower case, of a client's headers that Envoy must remove. It removes after it sets, so none of
 * the names that are set is among them.
 */
export function namesToRemove(rawHeaders: readonly string[], set: HeaderPairs): string[] {
  const kept = new Set([...set.map(([name]) => name.toLowerCase()), ...ofEnvoy]);
  return namesNotForwarded(rawHeaders).filter((name) => !kept.has(name));
}

/** Fields that Envoy writes itself as an edge proxy (`use_remote_address: true`). */
const ofEnvoy = ['x-forwarded-for', 'x-forwarded-proto', 'x-envoy-external-address', 'x-envoy-internal'];

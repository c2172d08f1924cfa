import type { Configuration } from '../configuration/load.ts';
import { type SettingName, settings as settingsTable } from '../configuration/settings.ts';
import type { RoutingConfiguration } from '../configuration/routing-settings.ts';
import type { OpenParts } from './open-parts.ts';
import { isGateway } from './listeners.ts';

/**
 * Adds the permissions that the deployment and its routes now name, so that roles can include them. All readers
 * share the table.
 */
export async function usePermissions(
  { registry, addedPermissions }: OpenParts,
  configured: Configuration['permissions'],
  { permissions }: RoutingConfiguration,
): Promise<void> {
  const next = { ...permissions, ...configured };
  if (JSON.stringify(next) === JSON.stringify(addedPermissions)) return;
  const table = addedPermissions as Record<string, unknown>;
  for (const name of Object.keys(table)) delete table[name];
  Object.assign(table, next);
  await registry.rereadPermissions();
}

/** Returns the environment variables of the changed settings that only a restart can apply. */
export function settingsThatNeedRestart(before: Configuration, next: Configuration): readonly string[] {
  const hasBoth =
    before.routing !== undefined && next.routing !== undefined && isGateway(before) === isGateway(next);
  const live: readonly SettingName[] = [
    'upstream',
    'signForwarded',
    'openapi',
    'openapiReading',
    'upstreams',
    'routes',
    'permissions',
  ];
  return (Object.keys(settingsTable) as SettingName[])
    .filter((name) => !(hasBoth && live.includes(name)))
    .filter((name) => JSON.stringify(next[name]) !== JSON.stringify(before[name]))
    .map((name) => settingsTable[name].environment);
}

export function signsForwarded({ routing }: Configuration): boolean {
  return routing?.upstreams.some(({ sign }) => sign) === true;
}

import { isProfileId } from '@countersign/signature/profile';
import { type Configuration, ConfigurationError } from '../configuration/load.ts';
import { type SettingName, settings as settingsTable } from '../configuration/settings.ts';
import type { RoutingConfiguration } from '../configuration/routing-settings.ts';
import { isGateway } from './listeners.ts';
import type { Parts, Stores } from './parts.ts';

/**
 * Uses the routes and upstreams of another configuration from the next request on, if the service has any.
 *
 * @throws ConfigurationError if a route names a profile that the service accepts only after a restart
 */
export async function exchangeRouting(
  next: Configuration,
  { routing: present, apiBaseUrls, profiles }: Configuration,
  { stores, forwarding }: Pick<Parts, 'stores' | 'forwarding'>,
): Promise<void> {
  if (!next.routing || !present) return;
  checkProfiles(next.routing, profiles);
  await usePermissions(stores, next.permissions, next.routing);
  if (signsAnything(next)) await forwarding.keys.start();
  forwarding.routing.use(next.routing, apiBaseUrls);
  forwarding.threads.useRouting(next.routing);
}

/** A route that accepts only profiles which no client can have would reject everyone. */
function checkProfiles({ routes }: RoutingConfiguration, running: Configuration['profiles']): void {
  const accepted = running.map(({ id }) => id);
  const mistakes = routes.flatMap(({ rule }) =>
    (rule.profiles ?? [])
      .filter((name) => !isProfileId(name) && !accepted.includes(name))
      .map((name) => {
        const route = JSON.stringify(rule.path);
        return `the route ${route}: "profiles" names ${name}, which the service accepts only after a restart`;
      }),
  );
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
}

/**
 * Adds the permissions that the deployment and its routes now name, so that roles can include them. All readers
 * share the table.
 */
async function usePermissions(
  { registry, addedPermissions }: Stores,
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
    'signResponses',
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

/** Returns true if the gateway signs requests for an upstream, or the responses of a route. */
export function signsAnything({ routing }: Configuration): boolean {
  if (routing === undefined) return false;
  const { upstreams, routes } = routing;
  return upstreams.some(({ sign }) => sign) || routes.some(({ rule }) => rule.signedBytesMax !== undefined);
}

import { isProfileId } from '@countersign/signature/profile';
import { type Configuration, ConfigurationError } from '../configuration/load.ts';
import { type SettingName, settings as settingsTable } from '../configuration/settings.ts';
import { mistakesOfBaseUrlProfiles } from '../configuration/base-url-profiles.ts';
import type { RoutingConfiguration } from '../configuration/routing-settings.ts';
import { isGateway } from './listeners.ts';
import type { Parts, Stores } from './parts.ts';

/**
 * Uses the routes and upstreams of another configuration from the next request on, if the service has any.
 *
 * @throws ConfigurationError if a route or a base URL names a profile that the service accepts only after a restart, or if
 *   the profiles of base URLs are for those that the service has only then
 */
export async function exchangeRouting(
  next: Configuration,
  running: Configuration,
  { stores, forwarding }: Pick<Parts, 'stores' | 'forwarding'>,
): Promise<void> {
  if (!next.routing || !running.routing) return;
  const { apiBaseUrls } = running;
  checkProfiles(next.routing, running.profiles);
  checkBaseUrls(next, next.routing, running, (baseUrl) => forwarding.routing.profilesAt(baseUrl));
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

/** The base URLs of now stay until a restart. One that is renamed or removed must not accept every profile until then. */
function checkBaseUrls(
  next: Configuration,
  { baseUrlProfiles }: RoutingConfiguration,
  running: Configuration,
  profilesAt: (baseUrl: string) => readonly string[] | undefined,
): void {
  const left = [...running.publicBaseUrls, ...running.apiBaseUrls].filter(
    (baseUrl) =>
      profilesAt(baseUrl) !== undefined &&
      baseUrlProfiles[baseUrl] === undefined &&
      ![...next.publicBaseUrls, ...next.apiBaseUrls].includes(baseUrl),
  );
  const mistakes = [
    ...mistakesOfBaseUrlProfiles(baseUrlProfiles, running, running.profiles),
    ...left.map((baseUrl) => `${baseUrl} is still served, and would accept every profile`),
  ];
  const name = settingsTable.baseUrlProfiles.environment;
  if (mistakes.length > 0)
    throw new ConfigurationError(mistakes.map((mistake) => `${name}: before a restart, ${mistake}`));
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
    'baseUrlProfiles',
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

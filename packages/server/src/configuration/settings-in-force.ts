import type { Configuration } from './load.ts';
import { type SettingName, settings } from './settings.ts';

/** Returns every setting in force, for the log. Secrets are replaced by asterisks, and routes are only counted. */
export function settingsInForce(configuration: Configuration): Readonly<Record<string, unknown>> {
  const names = Object.keys(settings) as SettingName[];
  return {
    ...Object.fromEntries(names.map((name) => [name, configuration[name]])),
    routes: configuration.routing?.routes.length ?? 0,
  };
}

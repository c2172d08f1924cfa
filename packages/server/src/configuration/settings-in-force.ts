import type { ServiceSetting } from '@countersign/contract';
import type { Configuration } from './load.ts';
import { type SettingName, settings } from './settings.ts';

/** Returns every setting in force, for the log. Secrets are replaced by asterisks, and routes are only counted. */
export function settingsInForce(configuration: Configuration): Readonly<Record<string, unknown>> {
  const names = Object.keys(settings) as SettingName[];
  return {
    ...Object.fromEntries(names.map((name) => [name, configuration[name]])),
    profiles: configuration.profiles.map(({ id }) => id),
    routes: configuration.routing?.routes.length ?? 0,
  };
}

/** Returns every setting in force, for the operator: its value as logged, and its source. */
export function shownSettings(configuration: Configuration): ServiceSetting[] {
  // JSON replaces secrets with asterisks.
  const shown = JSON.parse(JSON.stringify(settingsInForce(configuration))) as Record<string, unknown>;
  return (Object.keys(settings) as SettingName[]).map((name) => {
    const { environment, help } = settings[name];
    return { name, environment, value: textOf(shown[name]), source: configuration.sources[name], help };
  });
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

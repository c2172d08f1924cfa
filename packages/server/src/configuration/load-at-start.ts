import { type Configuration, type GivenSettings, loadConfigurationWith, readingOnce } from './load.ts';

/**
 * Loads the configuration as `loadConfiguration` does, but loads the readers of OpenAPI documents only if one is named: a start
 * without them is quicker.
 *
 * @throws ConfigurationError with all mistakes at once
 */
export async function loadConfigurationAtStart(
  environment: GivenSettings[0],
  otherDefaults: GivenSettings[1] = {},
  readText: GivenSettings[2] = readingOnce(),
): Promise<Configuration> {
  let isNamed = false;
  const readNothing = (): { rules: []; mistakes: []; warnings: [] } => {
    isNamed = true;
    return { rules: [], mistakes: [], warnings: [] };
  };
  try {
    const configuration = loadConfigurationWith(readNothing, environment, otherDefaults, readText);
    if (!isNamed) return configuration;
  } catch (error) {
    if (!isNamed) throw error;
  }
  const { loadConfiguration } = await import('./load-at-once.ts');
  return loadConfiguration(environment, otherDefaults, readText);
}

import { type Configuration, type GivenSettings, loadConfigurationWith } from './load.ts';

/**
 * Loads the configuration as `loadConfiguration` does, but loads the readers of OpenAPI documents only if one is named: a start
 * without them is quicker.
 *
 * @throws ConfigurationError with all mistakes at once
 */
export async function loadConfigurationAtStart(...given: GivenSettings): Promise<Configuration> {
  let isNamed = false;
  const readNothing = (): { rules: []; mistakes: []; warnings: [] } => {
    isNamed = true;
    return { rules: [], mistakes: [], warnings: [] };
  };
  try {
    const configuration = loadConfigurationWith(readNothing, ...given);
    if (!isNamed) return configuration;
  } catch (error) {
    if (!isNamed) throw error;
  }
  const { loadConfiguration } = await import('./load-at-once.ts');
  return loadConfiguration(...given);
}

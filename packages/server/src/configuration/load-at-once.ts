import { type Configuration, type GivenSettings, loadConfigurationWith } from './load.ts';
import { readOpenApiFile } from './openapi/read-openapi.ts';

/**
 * Reads the settings, and in this thread the OpenAPI documents that they name.
 *
 * @throws ConfigurationError with all mistakes at once
 */
export function loadConfiguration(...given: GivenSettings): Configuration {
  return loadConfigurationWith(readOpenApiFile, ...given);
}

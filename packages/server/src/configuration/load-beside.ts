import { type Configuration, ConfigurationError, type GivenSettings, loadConfigurationWith } from './load.ts';
import { readOpenApiBeside } from './openapi/read-beside.ts';
import type { DocumentReader, DocumentReport, DocumentRequest } from './openapi/read-openapi.ts';

/** The number of attempts for a configuration that changes whenever it is read. */
const roundsMax = 5;

/**
 * Loads the configuration as `loadConfiguration` does, but reads OpenAPI documents in another thread: a large
 * one takes seconds, and requests must not wait for it.
 *
 * @param signal ends the reading of documents; the promise then rejects with its reason
 * @throws ConfigurationError with all mistakes at once
 */
export async function loadConfigurationBeside(
  environment: GivenSettings[0],
  otherDefaults: GivenSettings[1] = {},
  signal?: AbortSignal,
): Promise<Configuration> {
  const known = new Map<string, DocumentReport>();
  for (let round = 0; round < roundsMax; round++) {
    const missing = new Map<string, DocumentRequest>();
    const configuration = loadKnown(known, missing, environment, otherDefaults);
    if (missing.size === 0) return configuration();
    for (const [key, request] of missing) known.set(key, await readOpenApiBeside(request, signal));
  }
  throw new ConfigurationError(['the configuration file changed while it was being read']);
}

/**
 * Loads the configuration with the documents read so far, and collects the missing ones. Returns a function
 * that returns the result or throws.
 */
function loadKnown(
  known: ReadonlyMap<string, DocumentReport>,
  missing: Map<string, DocumentRequest>,
  ...given: GivenSettings
): () => Configuration {
  const readDocument: DocumentReader = (request) => {
    const key = JSON.stringify(request);
    const report = known.get(key);
    if (report !== undefined) return report;
    missing.set(key, request);
    return { rules: [], mistakes: [], warnings: [] };
  };
  try {
    const configuration = loadConfigurationWith(readDocument, ...given);
    return () => configuration;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

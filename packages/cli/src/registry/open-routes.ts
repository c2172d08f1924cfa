import type * as RouteReportModule from '@countersign/server/routes';
import { resolve } from 'node:path';
import { CommandError } from '../exits.ts';
import type { Io } from '../terminal/io.ts';
import { serverNotInstalled } from './server-not-installed.ts';

/** The options that name a configuration, in addition to the environment. */
export interface RoutesToRead {
  readonly upstream?: string | undefined;
  readonly openapi?: string | undefined;
  readonly configuration?: string | undefined;
}

/** Reads a configuration, such as its routes, with the service's own code, and turns its mistakes into a CommandError. */
export async function withRoutes<Result>(
  { upstream, openapi, configuration }: RoutesToRead,
  { environment, folder }: Io,
  work: (
    routes: typeof RouteReportModule,
    environment: Readonly<Record<string, string | undefined>>,
  ) => Result,
): Promise<Result> {
  const routes = await loadRoutes();
  try {
    return work(routes, {
      ...environment,
      ...(upstream !== undefined && { COUNTERSIGN_UPSTREAM: upstream }),
      ...(openapi !== undefined && { COUNTERSIGN_OPENAPI: fileIn(folder, openapi) }),
      ...(configuration !== undefined && { COUNTERSIGN_CONFIGURATION_FILE: resolve(folder, configuration) }),
    });
  } catch (error) {
    if (error instanceof routes.ConfigurationError)
      throw new CommandError('local', 'configuration_invalid', error.message);
    throw error;
  }
}

/** Leaves a URL unchanged, so that the mistake names it. */
function fileIn(folder: string, file: string): string {
  return /^[a-z]+:\/\//i.test(file) ? file : resolve(folder, file);
}

async function loadRoutes(): Promise<typeof RouteReportModule> {
  try {
    return await import('@countersign/server/routes');
  } catch (error) {
    throw serverNotInstalled(error);
  }
}

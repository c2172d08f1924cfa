import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { type Configuration, ConfigurationError } from '../configuration/load.ts';
import { placed } from '../configuration/routing-settings.ts';
import type { Service } from './service.ts';

/** Everything needed to follow a configuration. */
export interface FollowOptions {
  readonly configuration: Configuration;
  /**
   * @param signal aborts when the configuration is no longer needed
   * @throws ConfigurationError if it has mistakes
   */
  readonly loadAgain: (signal: AbortSignal) => Configuration | Promise<Configuration>;
  readonly service: Pick<Service, 'useRouting'>;
  readonly logger: Logger;
  /** The interval at which files are checked for changes. Default 1,000. */
  readonly everyMs?: number;
}

/** Follows changes of the configuration until it is stopped. */
export interface Following {
  /** Reads the configuration again now. */
  readonly readAgain: () => void;
  /**
   * Applies no further changes, not even one that is being read. Resolves once a change in progress has been
   * applied.
   */
  readonly stop: () => Promise<void>;
}

/**
 * Applies changed routes and upstreams without a restart: on request, and within a second after one of the
 * configuration's files has changed. A configuration with mistakes changes nothing, and the log reports the
 * mistakes.
 */
export function followConfiguration(options: FollowOptions): Following {
  const { loadAgain, service, logger, everyMs = 1000 } = options;
  let { configuration } = options;
  let seen = versionOf(configuration.files);
  let work: Promise<void> = Promise.resolve();
  const following = new AbortController();
  const { signal } = following;
  const reload = async (): Promise<void> => {
    if (signal.aborted) return;
    // Files that change while they are read are read again.
    const version = versionOf(configuration.files);
    try {
      const next = await loadAgain(signal);
      if (signal.aborted) return;
      configuration = next;
      const needRestart = await service.useRouting(configuration);
      const routes = configuration.routing?.routes.length ?? 0;
      logger.info({ routes, needRestart }, 'the configuration was reloaded');
      logWarnings(logger, configuration);
    } catch (error) {
      if (signal.aborted) return;
      const mistakes = error instanceof ConfigurationError ? error.mistakes : [String(error)];
      logger.error({ mistakes }, 'the configuration has mistakes; the previous one stays in use');
    }
    seen = version;
  };
  const inTurn = (): void => {
    work = work.then(reload);
  };
  const timer = setInterval(() => {
    const now = versionOf(configuration.files);
    if (now === seen) return;
    seen = now;
    inTurn();
  }, everyMs);
  timer.unref();
  const stop = (): Promise<void> => {
    clearInterval(timer);
    following.abort();
    return work;
  };
  return { readAgain: inTurn, stop };
}

/** Logs how many parts of the OpenAPI document no route enforces; `countersign routes check` lists them. */
export function logWarnings(logger: Logger, { routing }: Configuration): void {
  const { warnings = [] } = routing ?? {};
  if (warnings.length === 0) return;
  const first = warnings.slice(0, 5).map((warning) => `${placed(warning.file, warning)}: ${warning.message}`);
  logger.warn(
    { count: warnings.length, first },
    'the OpenAPI document specifies more than its routes enforce',
  );
}

/** Returns a text that changes whenever one of the files does. */
function versionOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
      return stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
    })
    .join('\n');
}

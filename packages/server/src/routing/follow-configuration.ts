import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { type Configuration, ConfigurationError } from '../configuration/load.ts';
import type { Service } from '../service.ts';

/** Everything that following a configuration needs. */
export interface FollowOptions {
  readonly configuration: Configuration;
  /** @throws ConfigurationError if it has mistakes */
  readonly loadAgain: () => Configuration;
  readonly service: Pick<Service, 'useRouting'>;
  readonly logger: Logger;
  /** The interval at which files are looked at. Default 1,000. */
  readonly everyMs?: number;
}

/**
 * Uses changed routes and upstreams without a restart: on SIGHUP, and within a second after one of the configuration's
 * files has changed. A configuration with mistakes changes nothing; the log says what is wrong with it.
 */
export function followConfiguration(options: FollowOptions): { readonly stop: () => void } {
  const { loadAgain, service, logger, everyMs = 1000 } = options;
  let { configuration } = options;
  let seen = versionOf(configuration.files);
  let work: Promise<void> = Promise.resolve();
  const reload = async (): Promise<void> => {
    try {
      configuration = loadAgain();
      const needRestart = await service.useRouting(configuration);
      const routes = configuration.routing?.routes.length ?? 0;
      logger.info({ routes, needRestart }, 'the configuration was read again');
    } catch (error) {
      const mistakes = error instanceof ConfigurationError ? error.mistakes : [String(error)];
      logger.error({ mistakes }, 'the configuration has mistakes; the one before stays in use');
    }
    seen = versionOf(configuration.files);
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
  process.on('SIGHUP', inTurn);
  return {
    stop() {
      clearInterval(timer);
      process.off('SIGHUP', inTurn);
    },
  };
}

/** Returns a text that differs whenever one of the files does. */
function versionOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
      return stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
    })
    .join('\n');
}

import type { Logger } from 'pino';
import { type DemoDataParts, seedDemoData } from './seed-demo-data.ts';

/** Writes demo data in the background. */
export interface DemoDataSeeder {
  /**
   * Resolves with true once everything is written, with false if the service stops or writing fails before.
   * Never rejects.
   */
  readonly seed: (accountId: string, seed?: number) => Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the seeder of one service, which closes it before the parts that it uses. */
export function openDemoDataSeeder(parts: DemoDataParts, logger: Logger): DemoDataSeeder {
  const closing = new AbortController();
  const { signal } = closing;
  let running = Promise.resolve(true);
  return {
    seed(accountId, seed) {
      running = running
        .then(() => seedDemoData(parts, { accountId, signal, ...(seed !== undefined && { seed }) }))
        .then(() => true)
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ error }, 'the demo data could not be written');
          return false;
        });
      return running;
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

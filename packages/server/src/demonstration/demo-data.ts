import type { Logger } from 'pino';
import { type DemoDataParts, seedDemoData } from './seed-demo-data.ts';

/** Writes demo data in the background. */
export interface DemoDataSeeder {
  /** Resolves when everything is written, or when the service stops. Never rejects. */
  readonly seed: (accountId: string, seed?: number) => Promise<void>;
  close(): Promise<void>;
}

/** Opens it for one service, which closes it before the parts that it uses. */
export function openDemoDataSeeder(parts: DemoDataParts, logger: Logger): DemoDataSeeder {
  const closing = new AbortController();
  const { signal } = closing;
  let running = Promise.resolve();
  return {
    seed(accountId, seed) {
      running = running
        .then(() => seedDemoData(parts, { accountId, signal, ...(seed !== undefined && { seed }) }))
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ error }, 'the demo data could not be written');
        });
      return running;
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

import assert from 'node:assert/strict';
import { freePort } from '@countersign/testing/free-port';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { demonstrateOnFirstStart } from '../../packages/server/src/demonstration/first-start.ts';
import type { Service } from '../../packages/server/src/assembly/service.ts';
import { PortalSession } from './portal-session.ts';

type Overrides = NonNullable<Parameters<typeof runService>[1]>;

/** A service with the demo account, as at the first start of `npm start`. */
export interface Demonstration {
  readonly running: RunningService;
  readonly origin: string;
  /** Resolves with true when all of the demo data exists. */
  readonly isComplete: Promise<boolean>;
}

/** Starts it. The demo data is still being written then. Close `running` in `after`. */
export async function openDemonstration(overrides: Overrides = {}): Promise<Demonstration> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const settings = {
    COUNTERSIGN_PORT: String(port),
    COUNTERSIGN_PUBLIC_BASE_URLS: origin,
    COUNTERSIGN_DEMONSTRATION: 'yes',
  };
  const running = await runService(settings, overrides);
  try {
    const { promise: isComplete, resolve } = Promise.withResolvers<boolean>();
    const service: Service = {
      ...running.service,
      seedDemoData: async (accountId, seed) => {
        const written = running.service.seedDemoData!(accountId, seed);
        resolve(written);
        return written;
      },
    };
    await demonstrateOnFirstStart(service, '', { write: () => true });
    return { running, origin, isComplete };
  } catch (error) {
    await running.close();
    throw error;
  }
}

/** Waits until all of the demo data exists, and signs in as the owner of its account, without a browser. */
export async function ownDemoAccount({ origin, isComplete }: Demonstration): Promise<PortalSession> {
  // Repeatedly looking for the data would keep the service, in this process, from writing it.
  assert.ok(await isComplete, 'the demo data was written');
  const owner = new PortalSession(origin);
  const readState = async () =>
    await owner.send<{
      features: { demonstration: object };
      accounts: { accountId: string }[];
    }>('GET', '/portal/auth/state');
  await owner.send('POST', '/portal/auth/sign-in', (await readState()).features.demonstration);
  owner.accountId = (await readState()).accounts[0]!.accountId;
  const { requests } = await owner.send<{ requests: number }>('GET', '/v1/demo-data');
  assert.ok(requests > 3000, `${requests} requests`);
  return owner;
}

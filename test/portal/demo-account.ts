import { demonstrateOnFirstStart } from '../../packages/server/src/demonstration/first-start.ts';
import { freePort } from '../../packages/server/test/free-port.ts';
import { type RunningService, runService } from '../../packages/server/test/running-service.ts';
import { waitUntil } from '../../packages/server/test/wait-until.ts';
import { PortalSession } from './portal-session.ts';

type Overrides = NonNullable<Parameters<typeof runService>[1]>;

/** A service with the demo account, as at the first start of `npm start`. */
export interface Demonstration {
  readonly running: RunningService;
  readonly origin: string;
}

/** Starts it. The demo data is still being written when this returns. Close `running` in `after`. */
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
    await demonstrateOnFirstStart(running.service, '', { write: () => true });
    return { running, origin };
  } catch (error) {
    await running.close();
    throw error;
  }
}

/** Signs in as the owner of the demo account, without a browser, and waits until all of its data is there. */
export async function ownDemoAccount(origin: string): Promise<PortalSession> {
  const owner = new PortalSession(origin);
  const readState = async () =>
    await owner.send<{
      features: { demonstration: object };
      accounts: { accountId: string }[];
    }>('GET', '/portal/auth/state');
  await owner.send('POST', '/portal/auth/sign-in', (await readState()).features.demonstration);
  owner.accountId = (await readState()).accounts[0]!.accountId;
  // The last requests of the demo data are written last.
  const latest = new Date(Date.now() - 3_600_000).toISOString();
  await waitUntil(async () => {
    const { requests } = await owner.send<{ requests: number }>('GET', '/v1/demo-data');
    const { data } = await owner.send<{ data: unknown[] }>('GET', `/v1/requests?from=${latest}`);
    return requests > 3000 && data.length > 0;
  }, 'the demo data');
  return owner;
}

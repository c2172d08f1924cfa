import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@countersign/testing/free-port';
import { type KeyPair, makeKeyPair } from '@countersign/testing/key-pair';
import { ServiceProcess } from '@countersign/testing/service-process';
import { addCustomer, mailedLink, setUpLinkIn, setUpOperator } from '../test/portal/scene.ts';
import { waitUntil } from '@countersign/testing/wait-until';
import { type AccountSize, fillAccount, type KnownClient } from './portal-account.ts';

/** A service in a process of its own, whose only customer has many clients and requests. */
export interface LargeService {
  readonly origin: string;
  readonly port: number;
  readonly clients: readonly KnownClient[];
  /** Of the first client. */
  readonly keyPair: KeyPair;
  close(): Promise<void>;
}

/** The people who can sign in to it, each with the password of the portal's tests. */
export const people = { owner: 'ada@northwind.example', operator: 'olga@provider.example' } as const;

/** Sets the service up as a provider does, fills the account while it is stopped, and starts it again. */
export async function openLargeService(size: AccountSize): Promise<LargeService> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const keyPair = makeKeyPair();
  let service: ServiceProcess | undefined;
  const start = async (): Promise<ServiceProcess> => {
    service = new ServiceProcess(dataFolder, settingsOf(port, origin, size));
    await service.listening();
    return service;
  };
  const close = async (): Promise<void> => {
    await service?.end('SIGTERM');
    rmSync(dataFolder, { recursive: true, force: true });
  };
  try {
    const first = await start();
    const accountId = await setUpPeople(first, dataFolder, origin);
    await first.end('SIGTERM');
    const clients = await fillAccount(dataFolder, accountId, size, keyPair);
    await start();
    return { origin, port, clients, keyPair, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function settingsOf(port: number, origin: string, { requests }: AccountSize): Record<string, string> {
  return {
    COUNTERSIGN_PORT: String(port),
    COUNTERSIGN_PUBLIC_BASE_URLS: origin,
    COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR: 'yes',
    // Nothing is removed because it is too much or too old while it is measured.
    COUNTERSIGN_REQUESTS_KEPT_MAX: String(2 * requests),
    COUNTERSIGN_REQUESTS_KEPT_DAYS: '60',
    COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '100000',
  };
}

/** Returns the customer's account. */
async function setUpPeople(service: ServiceProcess, dataFolder: string, origin: string): Promise<string> {
  // The console shows the link some time after the service listens.
  await waitUntil(() => service.output.includes('/portal/set-up#'), 'the link to set-up');
  const scene = {
    origin,
    dataFolder,
    setUpLink: () => setUpLinkIn(service.output),
    mailedLink: (email: string) => mailedLink(dataFolder, email),
    close: () => Promise.resolve(),
  };
  const operator = await setUpOperator(scene);
  const owner = await addCustomer(scene, operator, 'Northwind', {
    name: 'Ada Lindqvist',
    email: people.owner,
  });
  for (const email of ['ben@northwind.example', 'chiara@northwind.example'])
    await owner.send('POST', '/v1/invitations', { email, role: 'developer' });
  await owner.send('POST', '/v1/alert-rules', {
    name: 'Requests fail',
    condition: { kind: 'failure_rate', percentAbove: 90, requestsMin: 50, minutes: 15 },
    channels: { inInbox: true, byMail: false, byWebhook: false },
  });
  return owner.accountId!;
}

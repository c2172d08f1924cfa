import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@countersign/testing/free-port';
import { publishedKeyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { patienceMs, waitUntil } from '@countersign/testing/wait-until';
import { addWebhooks, hooksOrigin, openHookReceiver } from './lived-in-webhooks.ts';
import { changeDatabase } from './change-database.ts';
import { type LivedIn, live, type SetClock } from './lived-in.ts';
import { PortalSession } from './portal-session.ts';
import { mailedLink, password, tokenOf } from './scene.ts';

/** A service with an account in use, and the people who sign in to it. */
export interface LivedInService extends LivedIn {
  readonly running: RunningService;
  readonly origin: string;
  readonly operator: PortalSession;
  readonly owner: PortalSession;
  /** A webhook with deliveries, most of which arrive. */
  readonly webhookId: string;
  close(): Promise<void>;
}

/** Starts it. For 30 days that takes some seconds, because each request is signed and sent. */
export async function startLivedInService(days: number): Promise<LivedInService> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const endMs = Date.now();
  let pastMs: number | undefined = endMs - days * 86_400_000;
  const clock: SetClock = {
    get nowMs() {
      return pastMs ?? Date.now();
    },
    set nowMs(timeMs) {
      pastMs = timeMs;
    },
  };
  const receiver = await openHookReceiver();
  const running = await runService(
    {
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_PUBLIC_BASE_URLS: origin,
      COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR: 'yes',
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1,::1',
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '100000',
      COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '100000',
      COUNTERSIGN_WEBHOOK_ORIGINS: hooksOrigin,
    },
    {
      nowMs: () => clock.nowMs,
      requestLogEveryMs: 200,
      explanationMsMax: patienceMs,
      webhooks: { means: receiver.means },
    },
  ).catch(async (error: unknown) => {
    await receiver.close();
    throw error;
  });
  const account = await live(running, origin, clock, endMs);
  pastMs = undefined;
  await backdate(running, endMs - (days + 1) * 86_400_000);
  const operator = await setUp(running, origin);
  const owner = await inviteOwner(running, origin, operator, account.accountId);
  const webhookId = await addWebhooks(owner);
  await addAlertRules(owner);
  await furnish(owner, running, account);
  await failWithExplanation(owner, account);
  // Prevents the latest requests on a page from all being rejected.
  await account.call();
  return {
    ...account,
    running,
    origin,
    operator,
    owner,
    webhookId,
    async close() {
      await running.close();
      await receiver.close();
    },
  };
}

/** Adds alert rules: one that watches, and one that is switched off. */
async function addAlertRules(owner: PortalSession): Promise<void> {
  await owner.send('POST', '/v1/alert-rules', {
    name: 'Requests fail',
    condition: { kind: 'failure_rate', percentAbove: 20, requestsMin: 50, minutes: 15 },
    channels: { inInbox: true, byMail: true, byWebhook: true },
  });
  await owner.send('POST', '/v1/alert-rules', {
    name: 'Keys end',
    condition: { kind: 'key_due', days: 14 },
    isEnabled: false,
  });
}

/** Backdates the command line's changes to the account's start; its clock is the machine's. */
async function backdate(running: RunningService, timeMs: number): Promise<void> {
  await changeDatabase(running, (database) => {
    for (const table of ['accounts', 'clients', 'client_keys', 'network_entries'])
      database.prepare(`UPDATE ${table} SET created_at_ms = ?`).run(timeMs);
    database
      .prepare("UPDATE audit_events SET happened_at_ms = ? WHERE actor_kind = 'operator-cli'")
      .run(timeMs);
  });
}

async function setUp(running: RunningService, origin: string): Promise<PortalSession> {
  const link = await running.service.people?.setUpLink();
  const session = new PortalSession(origin);
  const person = { name: 'Olga Operator', email: 'olga@provider.example', password };
  await session.send('POST', '/portal/auth/set-up', { token: tokenOf(link ?? ''), ...person });
  session.accountId = (
    await session.send<{ accounts: { accountId: string }[] }>('GET', '/portal/auth/state')
  ).accounts[0]!.accountId;
  return session;
}

async function inviteOwner(
  { dataFolder }: RunningService,
  origin: string,
  operator: PortalSession,
  accountId: string,
): Promise<PortalSession> {
  const own = operator.accountId;
  const email = 'ada@northwind.example';
  await operator.send('POST', '/v1/acting', { accountId, reason: 'The contract is signed: inviting Ada' });
  operator.accountId = accountId;
  await operator.send('POST', '/v1/invitations', { email, role: 'owner' });
  await operator.send('DELETE', '/v1/acting');
  operator.accountId = own;
  const token = tokenOf(await mailedLink(dataFolder, email));
  const session = new PortalSession(origin);
  await session.send('POST', '/portal/auth/invitation/accept', { token, name: 'Ada Lindqvist', password });
  session.accountId = accountId;
  return session;
}

/** Waits until a request is explained: the simulated days may have used up the time for explanations. */
async function failWithExplanation(owner: PortalSession, account: LivedIn): Promise<void> {
  let looks = 0;
  await waitUntil(async () => {
    if (looks % looksPerFailure === 0) await account.call({ isForged: true });
    looks += 1;
    await sleep(50);
    return isLatestExplained(owner);
  }, 'the explanation of a refused request');
}

/** Enough time for most explanations, even when several are waiting. */
const looksPerFailure = 100;

async function isLatestExplained(owner: PortalSession): Promise<boolean> {
  const { data } = await owner.send<{ data: readonly { readonly requestId: string }[] }>(
    'GET',
    '/v1/requests?outcome=digest_mismatch&limit=1',
  );
  return owner.send('GET', `/v1/requests/${data[0]?.requestId}/explanation`).then(
    () => true,
    () => false,
  );
}

/** Adds a team, a custom role and a key rotation in progress. */
async function furnish(
  owner: PortalSession,
  { dataFolder }: RunningService,
  { clientIds }: LivedIn,
): Promise<void> {
  for (const [name, role] of [
    ['Ben Okafor', 'developer'],
    ['Chiara Rossi', 'viewer'],
  ] as const) {
    const email = `${name.split(' ')[0]!.toLowerCase()}@northwind.example`;
    await owner.send('POST', '/v1/invitations', { email, role });
    const token = tokenOf(await mailedLink(dataFolder, email));
    const session = new PortalSession(owner.origin);
    await session.send('POST', '/portal/auth/invitation/accept', { token, name, password });
  }
  await owner.send('POST', '/v1/invitations', { email: 'dana@northwind.example', role: 'admin' });
  await owner.send('POST', '/v1/roles', {
    name: 'refunds',
    summary: 'Programs that look payments up and cancel them',
    permissions: ['payments:read', 'payments:write'],
  });
  await owner.send('POST', '/v1/roles', {
    name: 'support',
    summary: 'People who answer questions about requests',
    holders: 'members',
    permissions: ['clients:read', 'requests:read'],
  });
  const { publicKey } = publishedKeyPair('rsa-4096-a');
  await owner.send('POST', `/v1/clients/${clientIds[1]!}/keys`, { publicKey });
}

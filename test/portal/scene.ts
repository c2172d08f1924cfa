import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@countersign/testing/free-port';
import { ServiceProcess } from '@countersign/testing/service-process';
import { waitFor, waitUntil } from '@countersign/testing/wait-until';
import { PortalSession } from './portal-session.ts';

/** A service with a portal, in a process of its own, at a provider's first start. */
export interface PortalService {
  readonly origin: string;
  readonly dataFolder: string;
  /** The link that the console shows while no person can sign in. */
  setUpLink(): string;
  /** Returns the link in the last email to an address. */
  mailedLink(email: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts it on a free port, under a host name so that passkeys work. */
export async function startPortalService(
  settings: Readonly<Record<string, string>> = {},
): Promise<PortalService> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'countersign-portal-'));
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const service = new ServiceProcess(dataFolder, {
    COUNTERSIGN_PORT: String(port),
    COUNTERSIGN_PUBLIC_BASE_URLS: origin,
    // The operator's needs have a separate test.
    COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR: 'yes',
    ...settings,
  });
  await service.listening();
  // The console shows the link some time after the service listens.
  await waitUntil(
    () => service.output.includes('/portal/set-up#'),
    () => `the link to set-up in:\n${service.output}`,
  );
  return {
    origin,
    dataFolder,
    setUpLink: () => setUpLinkIn(service.output),
    mailedLink: (email) => mailedLink(dataFolder, email),
    async close() {
      await service.end('SIGTERM');
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Finds the link that a service's console shows while no person can sign in. */
export function setUpLinkIn(output: string): string {
  const link = /http:\/\/\S+\/portal\/set-up#token=[\w.-]+/.exec(output)?.[0];
  if (link === undefined) throw new Error(`There is no link to set-up in:\n${output}`);
  return link;
}

/** Reads the link in the last email to an address from the service's data folder. */
export function mailedLink(dataFolder: string, email: string): Promise<string> {
  const folder = join(dataFolder, 'mail');
  return waitFor(async () => {
    for (const name of await newestFirst(folder)) {
      const text = await readFile(join(folder, name), 'utf8');
      const link = /http:\/\/\S+\/portal\/[\w-]+#token=[\w.-]+/.exec(text)?.[0];
      if (text.includes(email) && link !== undefined) return link;
    }
    return undefined;
  }, `a mail to ${email} in ${folder}`);
}

/** Names of email files start with their time. */
async function newestFirst(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  // A name with a dot is a mail that is still being written.
  const whole = names.filter((name) => !name.startsWith('.'));
  return whole.toSorted((one, other) => other.localeCompare(one));
}

/** Everyone's password in these tests. */
export const password = 'correct horse battery 27';

export const tokenOf = (link: string): string => link.slice(link.indexOf('#token=') + '#token='.length);

/** Creates the first person, who operates the service, through the console's link. */
export async function setUpOperator(service: PortalService): Promise<PortalSession> {
  const operator = new PortalSession(service.origin);
  await operator.send('POST', '/portal/auth/set-up', {
    token: tokenOf(service.setUpLink()),
    name: 'Olga Operator',
    email: 'olga@provider.example',
    password,
  });
  operator.accountId = await onlyAccount(operator);
  return operator;
}

/** Creates an account whose first owner is invited by the operator. Both are signed in afterwards. */
export async function addCustomer(
  service: PortalService,
  operator: PortalSession,
  name: string,
  owner: { readonly name: string; readonly email: string },
): Promise<PortalSession> {
  const { accountId } = await operator.send<{ accountId: string }>('POST', '/v1/accounts', { name });
  const reason = 'Contract signed, setting the account up';
  await operator.send('POST', '/v1/acting', { accountId, reason });
  const own = operator.accountId;
  operator.accountId = accountId;
  const session = await invite(service, operator, { ...owner, role: 'owner' });
  await operator.send('DELETE', '/v1/acting');
  operator.accountId = own;
  return session;
}

/** Invites a person, who follows the link in the email. */
export async function invite(
  service: PortalService,
  inviter: PortalSession,
  { name, email, role }: { readonly name: string; readonly email: string; readonly role: string },
): Promise<PortalSession> {
  await inviter.send('POST', '/v1/invitations', { email, role });
  const session = new PortalSession(service.origin);
  const token = tokenOf(await service.mailedLink(email));
  await session.send('POST', '/portal/auth/invitation/accept', { token, name, password });
  session.accountId = await onlyAccount(session);
  return session;
}

async function onlyAccount(session: PortalSession): Promise<string> {
  const state = await session.send<{ accounts: { accountId: string }[] }>('GET', '/portal/auth/state');
  return state.accounts[0]!.accountId;
}

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import { createSigner, type Signer } from '@countersign/signature/node';
import type { Configuration } from '../configuration/load.ts';
import { openLocalRegistry, type RegistryPlace } from '../registry/local-registry.ts';
import { makeDemoPeople } from './demo-people.ts';
import { startWith } from './start-command.ts';
import type { Output } from './report.ts';
import type { ShownService } from './shown-service.ts';
import { order, paymentsPath, showSandbox } from './show-sandbox.ts';
import { apiLines, describeApi, examplePath, showUpstream } from './show-upstream.ts';
import { makeDemoKeyPair } from './demo-key-pair.ts';

/** The demo client's credentials file, which the command line also reads. Paths are relative to the file. */
interface Credentials {
  readonly clientId: string;
  readonly privateKeyFile: string;
  readonly baseUrl: string;
}

/**
 * Runs the demo if the setting `demonstration` is on. The first start creates a demo client and shows the
 * service's main purpose over real HTTP, including rejections; later starts only say what to type next.
 */
export async function demonstrateOnFirstStart(
  service: ShownService,
  logFile: string,
  output: Output,
): Promise<void> {
  const { dataFolder, demonstration, publicBaseUrls } = service.configuration;
  output.write(`\nCountersign listens on ${service.address}, called as ${publicBaseUrls.join(' and ')}\n`);
  if (demonstration) await demonstrate(service, join(dataFolder, 'demo'), logFile, output);
  else output.write(describeApi(service) + (await setUpAdvice(service)));
  output.write('\nCtrl-C stops it.\n');
}

async function demonstrate(
  service: ShownService,
  folder: string,
  logFile: string,
  output: Output,
): Promise<void> {
  const { configuration } = service;
  const place = placeOf(configuration);
  const isFirst = readIfThere(join(folder, 'credentials.json')) === undefined;
  if (isFirst && service.seedDemoData) markUnfinished(folder);
  if (isFirst) await makeDemoClient(place, folder, configuration.publicBaseUrls[0]!);
  else useBaseUrl(folder, configuration.publicBaseUrls[0]!);
  const signer = isFirst || configuration.routing ? await demoSigner(place, folder) : undefined;
  await service.readRegistry();
  // If only authorizers protect the API, the proxy that queries them forwards the requests; it may not be
  // running yet.
  if (signer && service.apiAddress !== undefined) await showUpstream(service, signer, output);
  else if (signer && !configuration.routing)
    await showSandbox(service, signer, configuration.publicBaseUrls[0]!, output);
  output.write(nextSteps(folder, service, logFile) + (await portalPeople(folder, service)));
  if (readIfThere(join(folder, unfinishedFile)) !== undefined) await seed(service, place, folder, output);
  if (!configuration.routing)
    output.write(`\nNext, protect your own API:\n  ${startWith} --upstream http://127.0.0.1:3000\n`);
}

/** Exists from before the demo is created until all of its data is written. */
const unfinishedFile = 'demo-data-unfinished';

function markUnfinished(folder: string): void {
  makePrivateFolder(folder);
  writeFileSync(join(folder, unfinishedFile), '');
}

/**
 * Fills the demo account with sample traffic in the background. First removes the data of an earlier start
 * that was stopped before it had written everything.
 */
async function seed(
  service: ShownService,
  place: RegistryPlace,
  folder: string,
  output: Output,
): Promise<void> {
  if (service.seedDemoData === undefined) return;
  const { clientId } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')) as Credentials;
  const registry = await openLocalRegistry(place);
  try {
    const { accountId } = await registry.showClient(clientId);
    await registry.removeDemoData();
    void service.seedDemoData(accountId).then((isComplete) => {
      if (isComplete) rmSync(join(folder, unfinishedFile), { force: true });
    });
  } finally {
    await registry.close();
  }
  const inPortal = service.people ? 'Remove demo data in the portal, or ' : '';
  output.write(`
Demo data      30 days of sample requests from eight clients, ready in a few seconds
  to remove    ${inPortal}npx countersign demo-data remove
`);
}

/** Returns the demo client's signer. A client from an earlier version gets the role for a protected API. */
async function demoSigner(place: RegistryPlace, folder: string): Promise<Signer> {
  const { clientId } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')) as Credentials;
  const registry = await openLocalRegistry(place);
  try {
    const { roles } = await registry.showClient(clientId);
    if (!roles.includes('api-user')) await registry.setRoles(clientId, [...roles, 'api-user']);
  } finally {
    await registry.close();
  }
  return createSigner({ keyid: clientId, privateKey: readFileSync(join(folder, 'private.pem'), 'utf8') });
}

/** Describes the demo's people and their credentials. */
async function portalPeople(folder: string, { people, configuration }: ShownService): Promise<string> {
  const credentials = readIfThere(join(folder, 'credentials.json'));
  if (!people || !credentials) return '';
  const { clientId } = JSON.parse(credentials) as Credentials;
  const { dataFolder } = configuration;
  const { owner, operator } = await makeDemoPeople(people, {
    place: placeOf(configuration),
    dataFolder,
    clientId,
  });
  return `
Portal         ${people.portalUrl()}
  as owner     ${owner.email}  ${owner.password}
  as operator  ${operator.email}  ${operator.password}
`;
}

/** Explains how to create the first user, while there is none. */
async function setUpAdvice({ people }: ShownService): Promise<string> {
  const link = await people?.setUpLink();
  if (link === undefined) return people ? `\nPortal ${people.portalUrl()}\n` : '';
  return `
Nobody can sign in yet. Create the first user with this link (it works once, until the next start):
  ${link}
`;
}

function placeOf({ dataFolder, databaseUrl }: Configuration): RegistryPlace {
  return databaseUrl === undefined ? { dataFolder } : { databaseUrl: databaseUrl.reveal() };
}

/**
 * Creates an account with a client and a key pair. The credentials file is written last: if it exists, the demo
 * is complete.
 */
async function makeDemoClient(place: RegistryPlace, folder: string, baseUrl: string): Promise<void> {
  makePrivateFolder(folder);
  const pair = await makeDemoKeyPair(3072);
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' });
  writeFileSync(join(folder, 'private.pem'), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'public.pem'), publicKey);
  const registry = await openLocalRegistry(place);
  try {
    const account = await registry.addAccount('Demo account');
    const { clientId } = await registry.addClient({
      name: 'Demo client',
      accountId: account.accountId,
      publicKey,
      network: [
        { entry: '127.0.0.1', label: 'this machine' },
        { entry: '::1', label: 'this machine' },
      ],
      roles: ['payments-operator', 'api-user'],
      allowExplanations: true,
    });
    const credentials: Credentials = { clientId, privateKeyFile: 'private.pem', baseUrl };
    writeCredentials(join(folder, 'credentials.json'), credentials);
  } finally {
    await registry.close();
  }
}

/** Makes the command line and the commands of README.md use this start's port, which may be another one. */
function useBaseUrl(folder: string, baseUrl: string): void {
  const file = join(folder, 'credentials.json');
  const credentials = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  if (credentials.baseUrl !== baseUrl) writeCredentials(file, { ...credentials, baseUrl });
}

/** Replaces the file atomically, because the command line may read it meanwhile. */
function writeCredentials(file: string, credentials: Credentials): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}

function nextSteps(folder: string, service: ShownService, logFile: string): string {
  const { configuration } = service;
  const baseUrl = configuration.publicBaseUrls[0]!;
  const credentials = readIfThere(join(folder, 'credentials.json'));
  if (!credentials) return '';
  const { clientId } = JSON.parse(credentials) as Credentials;
  // A folder elsewhere is easier to recognize by its full path.
  const shown = (path: string): string => {
    const fromHere = relative(process.cwd(), path) || '.';
    return fromHere.startsWith('..') ? resolve(path) : fromHere;
  };
  const path = examplePath(configuration);
  const payment = `POST ${paymentsPath} -d '${JSON.stringify({ ...order, reference: 'my-first' })}' -v`;
  const tries =
    path === undefined
      ? ['GET /v1/whoami', ...(configuration.routing ? [] : [payment])]
      : [`GET ${configuration.apiBaseUrls[0]}${path} -v`];
  const api = configuration.routing
    ? apiLines(service)
    : `API            ${baseUrl}/v1   (error codes: ${baseUrl}/docs/errors)`;
  const when =
    configuration.routing && service.apiAddress === undefined ? ', once your proxy queries it' : '';
  return `
Try it${when}:
${tries.map((line) => `  npx countersign request ${line}`).join('\n')}

${api}
Demo client    ${clientId}
Private key    ${shown(join(folder, 'private.pem'))}
Data           ${configuration.databaseUrl?.toString() ?? shown(configuration.dataFolder)}
Log            ${logFile === '' ? 'standard error' : shown(logFile)}
`;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

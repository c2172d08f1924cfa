import { generateKeyPair } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { createSigner, type Signer } from '@countersign/signature/node';
import type { Configuration } from '../configuration/load.ts';
import { openLocalRegistry, type RegistryPlace } from '../registry/local-registry.ts';
import type { Service } from '../service.ts';
import { makeDemoPeople } from './demo-people.ts';
import { call, type CallAnswer, type PreparedCall } from './call.ts';

const paymentsPath = '/v1/payments';
const order = { amount: 4200, currency: 'EUR', reference: 'demo-invoice-1' };

/** The output stream; standard output, except in tests. */
export interface Output {
  write(text: string): unknown;
}

/** The demo client's credentials file, which the command line also reads. Paths are relative to the file. */
interface Credentials {
  readonly clientId: string;
  readonly privateKeyFile: string;
  readonly baseUrl: string;
}

/**
 * Runs the demo if the setting `demonstration` is on. The first start creates a demo client and shows the service's
 * main job over real HTTP, refusals included; later starts only say what to type next.
 */
export async function demonstrateOnFirstStart(
  service: Service,
  logFile: string,
  output: Output,
): Promise<void> {
  const { dataFolder, demonstration, publicBaseUrls } = service.configuration;
  const baseUrl = publicBaseUrls[0]!;
  output.write(`\nCountersign listens on ${service.address}, called as ${publicBaseUrls.join(' and ')}\n`);
  if (demonstration) {
    const folder = join(dataFolder, 'demo');
    if (!readIfThere(join(folder, 'credentials.json'))) {
      const signer = await makeDemoClient(placeOf(service.configuration), folder, baseUrl);
      await showMainJob(service, signer, baseUrl, output);
    }
    const next = whatNext(folder, service, logFile);
    output.write(next + (await portalPeople(folder, service)));
  } else output.write(await setUpAdvice(service));
  output.write('\nCtrl-C stops it.\n');
}

/** Describes the demo's people and their credentials. */
async function portalPeople(folder: string, { people, configuration }: Service): Promise<string> {
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

/** Explains how the first person gets in, while there is none. */
async function setUpAdvice({ people }: Service): Promise<string> {
  const link = await people?.setUpLink();
  if (link === undefined) return people ? `\nPortal ${people.portalUrl()}\n` : '';
  return `
Nobody can sign in yet. Make the first person with this link (it works once, until the next start):
  ${link}
`;
}

function placeOf({ dataFolder, databaseUrl }: Configuration): RegistryPlace {
  return databaseUrl === undefined ? { dataFolder } : { databaseUrl: databaseUrl.reveal() };
}

/**
 * Creates an account with a client and a key pair. The credentials file is written last: its presence means that the
 * demo is complete.
 */
async function makeDemoClient(place: RegistryPlace, folder: string, baseUrl: string): Promise<Signer> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 3072 });
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
      roles: ['payments-operator'],
      allowExplanations: true,
    });
    const credentials: Credentials = { clientId, privateKeyFile: 'private.pem', baseUrl };
    writeFileSync(join(folder, 'credentials.json'), `${JSON.stringify(credentials, undefined, 2)}\n`, {
      mode: 0o600,
    });
    return createSigner({ keyid: clientId, privateKey });
  } finally {
    await registry.close();
  }
}

async function showMainJob(service: Service, signer: Signer, baseUrl: string, output: Output): Promise<void> {
  const good = prepare(signer, baseUrl, order);
  await service.readRegistry();
  const otherKey = (await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })).privateKey;
  const stranger = createSigner({ keyid: signer.keyid, privateKey: otherKey });
  const next = (reference: string): PreparedCall => prepare(signer, baseUrl, { ...order, reference });
  const tampered = next('demo-invoice-2');
  const moved = next('demo-invoice-3');
  const unsigned = next('demo-invoice-4');

  output.write('\nWhat it does, with a client and a key pair that were made just now:\n\n');
  const show = async (title: string, prepared: PreparedCall): Promise<void> => {
    output.write(reportLine(title, await call(service.address, prepared)));
  };
  await show('a signed payment', good);
  await show('the same bytes again', good);
  await show('one byte of the body changed', { ...tampered, body: tampered.body.replace('4200', '9200') });
  await show('one byte of the URL changed', { ...moved, url: `${moved.url}?` });
  await show('the same without a signature', {
    ...unsigned,
    headers: { 'Content-Type': 'application/json' },
  });
  await show("signed with somebody else's key", prepare(stranger, baseUrl, order));
}

function prepare(signer: Signer, baseUrl: string, payment: object): PreparedCall {
  const body = JSON.stringify(payment);
  const { method, url, headers } = signer.sign({ method: 'POST', url: baseUrl + paymentsPath, body });
  return { method, url, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

function reportLine(title: string, answer: CallAnswer): string {
  const body = answer.body as { paymentId?: string; code?: string; reason?: string; title?: string };
  const mark = answer.status < 300 ? 'accepted' : 'refused ';
  const what =
    body.code === undefined ? (body.paymentId ?? '') : `${body.code}: ${body.reason ?? body.title ?? ''}`;
  return `  ${mark}  ${answer.status}  ${title.padEnd(32)} ${what}\n`;
}

function whatNext(folder: string, { configuration }: Service, logFile: string): string {
  const baseUrl = configuration.publicBaseUrls[0]!;
  const credentials = readIfThere(join(folder, 'credentials.json'));
  if (!credentials) return '';
  const { clientId } = JSON.parse(credentials) as Credentials;
  const shown = (path: string): string => relative(process.cwd(), path) || '.';
  return `
Try it:
  npx countersign request GET /v1/whoami
  npx countersign request POST ${paymentsPath} -d '${JSON.stringify({ ...order, reference: 'my-first' })}' -v

API            ${baseUrl}/v1   (error codes: ${baseUrl}/docs/errors)
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

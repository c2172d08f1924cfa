import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Configuration,
  createLogger,
  loadConfiguration,
  type Service,
  type ServiceOverrides,
  startService,
} from '@countersign/server';
import { type LocalRegistry, openLocalRegistry } from '@countersign/server/local-registry';
import { createSigner, type SignedRequest, type Signer, SigningError } from '@countersign/signature/node';
import type { Logger } from 'pino';
import type { PasswordCost } from '../../../server/src/people/identity/identity.ts';
import { requestWritesTo } from '../../../server/src/request-log/writing/request-writes.ts';
import { type KeyPair, makeKeyPair } from '../keys/key-pair.ts';
import { patienceMs, waitFor } from '../time/wait-until.ts';

/** The base URL that tests call, whatever port the service got. */
export const baseUrl = 'https://api.example.test';

/** The base URL of the protected API in tests that have one. */
export const apiBaseUrl = 'https://shop.example.test';

/** Cheap passwords for the many tests that are not about their cost. */
export const testPasswordCost: PasswordCost = { memory: 64, passes: 1, parallelism: 1 };

/** What makes a service of a test cheap to start and to use, on a busy machine too. */
const cheap: ServiceOverrides = {
  passwordCost: testPasswordCost,
  requestWrites: requestWritesTo,
  hasReportThread: false,
  // The thread alone may take seconds to start on a busy machine.
  explanationMsMax: patienceMs,
};

/** One key pair for all tests: making one takes long. */
export const keyPair: KeyPair = makeKeyPair();
/** A key pair that nobody registered. */
export const otherKeyPair: KeyPair = makeKeyPair();

/**
 * A key pair of the vectors by its name there, for tests that need more clients or another size. Services under test
 * accept these.
 */
export function publishedKeyPair(name: string): KeyPair {
  const { keys } = JSON.parse(readFileSync(publishedKeysFile, 'utf8')) as {
    keys: Record<string, { publicKeyPem: string; privateKeyPem: string }>;
  };
  const found = keys[name];
  if (found === undefined) throw new RangeError(`The vectors have no key ${name}`);
  return { publicKey: found.publicKeyPem, privateKey: found.privateKeyPem };
}

const publishedKeysFile = new URL('../../../../vectors/profile/keys.json', import.meta.url);

/** A service on a free port with a data folder of its own, or on the database of COUNTERSIGN_DATABASE_URL. */
export interface RunningService {
  readonly service: Service;
  readonly dataFolder: string;
  /** The port that it listens on, at 127.0.0.1. */
  readonly port: number;
  /** Adds a client with the test key pair, every network and the payments role, unless said otherwise. */
  addClient(options?: ClientOptions): Promise<{ clientId: string; signer: Signer }>;
  /** Changes the registry as the operator would, and lets the service see it. */
  change(work: (registry: LocalRegistry) => Promise<unknown>): Promise<void>;
  /** Sends exactly this, with the Host of the base URL unless headers say otherwise. */
  send(call: Call): Promise<Answer>;
  /** Stops and starts again on the same folder. */
  restart(overrides?: ServiceOverrides): Promise<void>;
  /** Ends as by kill -9, and starts again on what the disk held at that moment: on a copy of the folder. Call it when idle. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly clientId?: string;
  readonly network?: readonly string[];
  readonly roles?: readonly string[];
  readonly acceptWithoutDate?: boolean;
  readonly profile?: string;
  /** The algorithm of its key. Default the usual one. */
  readonly algorithm?: string;
  readonly allowExplanations?: boolean;
  /** Its key pair; the one of all tests unless set. A key can be registered once in an account. */
  readonly keyPair?: KeyPair;
  readonly signer?: Partial<Parameters<typeof createSigner>[0]>;
}

export interface Call {
  readonly method: string;
  /** A path, or a URL below one of the two base URLs. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | string[]>> | readonly string[];
  readonly body?: Uint8Array | string | undefined;
  readonly localAddress?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; fails when it is not JSON. */
  json(): Record<string, unknown>;
}

/** Starts a service for a test. Close it in `after`. */
export async function runService(
  environment: Readonly<Record<string, string | undefined>> = {},
  overrides: ServiceOverrides = {},
  logger: Logger = createLogger('silent', ''),
): Promise<RunningService> {
  const dataFolders = [await mkdtemp(join(tmpdir(), 'countersign-test-'))];
  let dataFolder = dataFolders[0]!;
  let configuration = configurationOf(dataFolder, environment);
  let service = await startService(configuration, logger, { ...cheap, ...overrides });
  const change: RunningService['change'] = async (work) => {
    await changeRegistry(configuration, work);
    await service.readRegistry();
  };
  return {
    get service() {
      return service;
    },
    get dataFolder() {
      return dataFolder;
    },
    get port() {
      return Number(new URL(service.address).port);
    },
    change,
    addClient: (options) => addClient(change, options, overrides),
    send: (call) => send(service, call),
    async restart(next = overrides) {
      await service.stop();
      service = await startService(configuration, logger, { ...cheap, ...next });
    },
    async crash() {
      const copy = await mkdtemp(join(tmpdir(), 'countersign-test-'));
      dataFolders.push(copy);
      // A lock and shared memory end with their process.
      await cp(dataFolder, copy, { recursive: true, filter: (path) => !/(?:\.lock|-shm)$/.test(path) });
      await service.stop();
      dataFolder = copy;
      configuration = { ...configuration, dataFolder };
      service = await startService(configuration, logger, { ...cheap, ...overrides });
    },
    async close() {
      await service.stop();
      for (const folder of dataFolders) await rm(folder, { recursive: true, force: true });
    },
  };
}

function configurationOf(
  dataFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Configuration {
  return loadConfiguration({
    COUNTERSIGN_PORT: '0',
    COUNTERSIGN_DATA_FOLDER: dataFolder,
    COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl,
    ...(environment['COUNTERSIGN_UPSTREAM'] !== undefined && { COUNTERSIGN_API_BASE_URLS: apiBaseUrl }),
    COUNTERSIGN_ALLOW_PUBLISHED_TEST_KEYS: 'yes',
    // A machine that runs all tests at once is slower than one that serves.
    COUNTERSIGN_GUARD_TIMEOUT_MS: '5000',
    COUNTERSIGN_OVERLOAD_FAILURES_PER_MINUTE_MAX: '0',
    ...environment,
  });
}

async function changeRegistry(
  { databaseUrl, dataFolder }: Configuration,
  work: (registry: LocalRegistry) => Promise<unknown>,
): Promise<void> {
  const place = databaseUrl === undefined ? { dataFolder } : { databaseUrl: databaseUrl.reveal() };
  const registry = await openLocalRegistry({ ...place, keyPolicy: { allowPublishedTestKeys: true } });
  try {
    await work(registry);
  } finally {
    await registry.close();
  }
}

async function addClient(
  change: RunningService['change'],
  { keyPair: { publicKey, privateKey } = keyPair, signer, ...options }: ClientOptions = {},
  { nowMs }: ServiceOverrides,
): Promise<{ clientId: string; signer: Signer }> {
  const { network = ['0.0.0.0'], roles = ['payments-operator'], ...settings } = options;
  let keyid = '';
  await change(async (registry) => {
    const client = await registry.addClient({
      name: 'Test client',
      publicKey,
      network: network.map((entry) => ({ entry })),
      roles,
      ...settings,
    });
    keyid = client.clientId;
  });
  return {
    clientId: keyid,
    signer: createSigner({ keyid, privateKey, ...(nowMs && { nowMs }), ...signer }),
  };
}

/** Signs and sends a request. Equal ones need a second each: those that are sent faster wait until one is free. */
export async function sendSigned(
  running: RunningService,
  signer: Signer,
  {
    method,
    url,
    body,
    headers,
  }: { method: string; url: string; body?: string; headers?: Record<string, string> },
): Promise<Answer> {
  const signed = await waitFor(
    () => signedInTime(signer, { method, url: baseUrl + url, body }),
    'a free second for an equal request',
  );
  return running.send({ method, url, body, headers: { ...json(body), ...headers, ...signed.headers } });
}

/** Returns undefined if equal requests have taken every second that the signer may use now. */
function signedInTime(signer: Signer, unsigned: Parameters<Signer['sign']>[0]): SignedRequest | undefined {
  try {
    return signer.sign(unsigned);
  } catch (error) {
    if (error instanceof SigningError && error.code === 'too_many_equal_requests') return undefined;
    throw error;
  }
}

function json(body: unknown): Record<string, string> {
  return body === undefined ? {} : { 'Content-Type': 'application/json' };
}

function send(service: Service, { method, url, headers = {}, body, localAddress }: Call): Promise<Answer> {
  const base = url.startsWith(apiBaseUrl) ? apiBaseUrl : baseUrl;
  const { hostname, port } = new URL(base === apiBaseUrl ? service.apiAddress! : service.address);
  const target = url.startsWith(base) ? url.slice(base.length) : url;
  return new Promise((resolve, reject) => {
    const options = {
      host: hostname,
      port,
      method,
      path: target,
      agent: false,
      setHost: false,
      ...(localAddress !== undefined && { localAddress }),
      headers: areLines(headers) ? [...headers] : withHost(base, headers, body),
    };
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', (error) => (isStream(incoming) ? undefined : reject(error)));
      // A stream of events has no end.
      if (isStream(incoming)) incoming.destroy();
      incoming.on(isStream(incoming) ? 'close' : 'end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          json: () => JSON.parse(text) as Record<string, unknown>,
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('The service switched to another protocol.'));
    });
    outgoing.end(body);
  });
}

function isStream({ headers }: IncomingMessage): boolean {
  return headers['content-type'] === 'text/event-stream';
}

/** True for names and values in turn. */
function areLines(headers: NonNullable<Call['headers']>): headers is readonly string[] {
  return Array.isArray(headers);
}

function withHost(
  base: string,
  headers: Readonly<Record<string, string | string[]>>,
  body: Uint8Array | string | undefined,
): Record<string, string | string[]> {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  return { Host: new URL(base).host, ...length, ...headers };
}

import { join } from 'node:path';
import { newId, NetworkWhitelist, parseAddress } from '@countersign/contract';
import type { RegisteredClient, RequestRecord } from '@countersign/gate';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { databaseFileName } from '../packages/server/src/registry/local-registry.ts';
import { changeRegistry } from '../packages/server/src/registry/store/changes.ts';
import { addClient } from '../packages/server/src/registry/store/clients.ts';
import {
  type RequestDetail,
  RequestStore,
} from '../packages/server/src/request-log/writing/request-store.ts';
import type { RequestCountRow } from '../packages/server/src/request-log/counts/request-counts.ts';
import type { AddedFigures } from '../packages/server/src/request-log/counts/request-figures.ts';
import { requestWritesTo } from '../packages/server/src/request-log/writing/request-writes.ts';
import { openDatabase } from '../packages/server/src/storage/database.ts';
import type { Database } from '../packages/server/src/storage/transaction.ts';

/** How much an account has. */
export interface AccountSize {
  readonly clients: number;
  readonly requests: number;
}

/** A client of the account, and the newest request that it sent. */
export interface KnownClient {
  readonly clientId: string;
  readonly keyId: string;
  readonly name: string;
  readonly address: string;
}

const days = 30;
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const progressEveryMs = 15_000;

/**
 * Adds clients with a key, two networks and a role each, and the requests of thirty days, by the functions with which
 * the service itself writes. The first client has the key pair, and may call from everywhere.
 */
export async function fillAccount(
  dataFolder: string,
  accountId: string,
  { clients, requests }: AccountSize,
  keyPair: KeyPair,
): Promise<readonly KnownClient[]> {
  // Nothing waits for the disk: if the machine fails, the file is thrown away.
  const database = await openDatabase({
    file: join(dataFolder, databaseFileName),
    syncLog: () => Promise.resolve(),
  });
  try {
    const known = await addClients(database, accountId, clients, keyPair);
    await addRequests(database, accountId, known, requests);
    return known;
  } finally {
    await database.destroy();
  }
}

async function addClients(
  database: Database,
  accountId: string,
  count: number,
  keyPair: KeyPair,
): Promise<readonly KnownClient[]> {
  const progress = reporter('clients', count);
  const known: KnownClient[] = [];
  while (known.length < count) {
    await changeRegistry(database, async (transaction) => {
      const end = Math.min(count, known.length + clientsPerTransaction);
      while (known.length < end) known.push(await addNumbered(transaction, accountId, known.length, keyPair));
    });
    progress(known.length);
  }
  return known;
}

const clientsPerTransaction = 200;

async function addNumbered(
  transaction: Database,
  accountId: string,
  number: number,
  keyPair: KeyPair,
): Promise<KnownClient> {
  // RSA pairs for all of them would take most of an hour.
  const { publicKey } = number === 0 ? keyPair : makeKeyPairFor('ecdsa-p256-sha256');
  const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  const networks = [...(number === 0 ? ['0.0.0.0'] : []), address, '203.0.113.0/24'];
  const name = `${pick(purposes, number)} ${pick(places, Math.floor(number / purposes.length))} ${number}`;
  const { clientId, keys } = await addClient(
    transaction,
    {
      accountId,
      name,
      publicKey,
      network: networks.map((entry) => ({ entry })),
      roles: ['payments-operator'],
      tags: [number % 3 === 0 ? 'production' : 'staging'],
    },
    { nowMs: Date.now(), keyPolicy: {}, actor: { kind: 'operator-cli', id: 'bench' } },
  );
  return { clientId, keyId: keys[0]!.keyId, name, address };
}

const purposes = [
  'Payment service',
  'Web shop',
  'Treasury',
  'Reporting',
  'Payouts',
  'Reconciliation',
  'Till',
];
const places = [
  'Oslo',
  'Turin',
  'Lyon',
  'Gdansk',
  'Porto',
  'Cork',
  'Ghent',
  'Graz',
  'Vaasa',
  'Brno',
  'Split',
];

/** Writes them day by day, oldest first, with the counts that the service keeps beside them. */
async function addRequests(
  database: Database,
  accountId: string,
  clients: readonly KnownClient[],
  count: number,
): Promise<void> {
  const progress = reporter('requests', count);
  const writes = requestWritesTo(database);
  const errors: unknown[] = [];
  const endMs = Date.now();
  /** A client's single hours before the last two days are on no page that is measured, and most of the work. */
  const isShown = (row: RequestCountRow | AddedFigures): boolean =>
    row.span === 'day' || row.client_id === '' || row.starts_at_ms > endMs - 2 * dayMs;
  const store = new RequestStore({
    writes: {
      ...writes,
      addCounts: (rows) => writes.addCounts(rows.filter(isShown)),
      addFigures: (rows) => writes.addFigures(rows.filter(isShown)),
      // The service has removed older minutes by now.
      addMinutes: (rows) => writes.addMinutes(rows.filter((row) => row.starts_at_ms > endMs - 2 * hourMs)),
      trim: () => Promise.resolve(false),
      trimAccounts: () => Promise.resolve(false),
    },
    registry: { clientById: clientsOf(accountId, clients) },
    keptDays: 0,
    keptMax: 0,
    nowMs: () => endMs,
    onError: (error) => errors.push(error),
    writeEveryMs: dayMs,
    waitingMax: count,
  });
  const startMs = endMs - days * dayMs;
  let written = 0;
  for (let day = 1; day <= days; day += 1) {
    for (; written < Math.round((count * day) / days); written += 1) {
      const atMs = Math.floor(startMs + (written * days * dayMs) / count);
      const { record, detail } = requestOf(clients, written, atMs);
      store.add(record, detail);
    }
    await store.flush();
    progress(written);
  }
  await store.close();
  if (errors.length > 0) throw errors[0];
}

function clientsOf(
  accountId: string,
  clients: readonly KnownClient[],
): (clientId: string) => RegisteredClient | undefined {
  const network = NetworkWhitelist.fromTexts(['0.0.0.0']);
  const byId = new Map(clients.map(({ clientId }) => [clientId, { clientId, accountId, network }]));
  return (clientId) => byId.get(clientId) as unknown as RegisteredClient | undefined;
}

/** A few clients send most requests, and most clients a few. One request in twenty fails. */
function requestOf(
  clients: readonly KnownClient[],
  number: number,
  atMs: number,
): { readonly record: RequestRecord; readonly detail: RequestDetail } {
  const { clientId, keyId, address } = clients[Math.floor(clients.length * spread(number) ** 8)]!;
  const failure = number % 20 === 7 ? pick(failures, Math.floor(number / 20)) : undefined;
  const isProved = failure === undefined || failure.isProved;
  const sourceAddress = failure?.outcome === 'network_not_allowed' ? `198.51.100.${number % 200}` : address;
  const [method, operationPath] = pick(operations, number);
  return {
    record: {
      requestId: newId('request', atMs),
      outcome: failure?.outcome ?? 'accepted',
      status: failure?.status ?? (number % 50 === 11 ? 404 : 200),
      method,
      path: operationPath.replace('{paymentId}', `payment_${String(number).padStart(26, '0')}`),
      sourceAddress,
      durationMs: 1 + (number % 40) / 3,
    },
    detail: {
      receivedAtMs: atMs,
      namedClientId: clientId,
      isProved,
      isAccepted: failure === undefined,
      keyId: isProved ? keyId : undefined,
      operationPath,
      ownMs: 1 + (number % 17) / 4,
      shownQuery: method === 'GET' ? `?limit=${1 + (number % 100)}` : '',
      source: parseAddress(sourceAddress),
    },
  };
}

const operations = [
  ['GET', '/v1/payments'],
  ['POST', '/v1/payments'],
  ['GET', '/v1/payments/{paymentId}'],
] as const;

const failures = [
  { outcome: 'digest_mismatch', status: 400, isProved: true },
  { outcome: 'network_not_allowed', status: 403, isProved: false },
  { outcome: 'signature_invalid', status: 401, isProved: false },
  { outcome: 'created_expired', status: 401, isProved: false },
] as const;

function pick<Element>(elements: readonly Element[], number: number): Element {
  return elements[number % elements.length]!;
}

/** Numbers from 0 to 1 in no visible order, the same on every run. */
function spread(number: number): number {
  return (number * 0.618_033_988_749_895) % 1;
}

/** Prints how far it is, now and then. */
function reporter(what: string, count: number): (done: number) => void {
  let nextMs = Date.now() + progressEveryMs;
  return (done) => {
    if (Date.now() < nextMs && done < count) return;
    nextMs = Date.now() + progressEveryMs;
    console.error(`  ${done.toLocaleString('en')} of ${count.toLocaleString('en')} ${what}`);
  };
}

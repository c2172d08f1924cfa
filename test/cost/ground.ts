import { currencies, newId } from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import { publishedKeyPair } from '@countersign/testing/running-service';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { lonePublicKey } from '@countersign/testing/test-keys';
import { addNotice } from '../../packages/server/src/notices/add-notice.ts';
import { changeRegistry } from '../../packages/server/src/registry/store/changes.ts';
import { addRequestCounts, spanMs } from '../../packages/server/src/request-log/counts/request-counts.ts';
import {
  insertRequestRecords,
  type RequestRow,
} from '../../packages/server/src/request-log/records/request-inserts.ts';
import { addUnattributedCounts } from '../../packages/server/src/request-log/counts/unattributed-counts.ts';
import { type Database, inTransaction } from '../../packages/server/src/storage/transaction.ts';
import { openPlay, type Play } from '../../packages/server/test/management/provocations.ts';

/** The amount of stored data. */
export interface GroundSize {
  readonly clients: number;
  readonly requests: number;
  readonly notices: number;
  readonly accounts: number;
}

/** A service in this process whose store is full, with one caller of every kind. */
export interface Ground {
  readonly play: Play;
  readonly clientIds: readonly string[];
  /** Has as many network entries, tags, metadata and roles as a client may have. */
  readonly fullClientId: string;
  readonly noticeId: string;
  readonly startMs: number;
  /** A signer for one request of a client that may call every operation, with its own second. */
  readonly nextSigner: () => Signer;
}

/** The ingredients of the ground. */
interface GroundOptions {
  /** The protected API. */
  readonly upstreamUrl: string;
  readonly onProgress: (text: string) => void;
}

/**
 * Starts the service on SQLite, which runs in the responding thread, and fills the account of its operator.
 * Close the scene when done.
 */
export async function openGround(
  size: GroundSize,
  { upstreamUrl, onProgress }: GroundOptions,
): Promise<Ground> {
  const play = await openPlay(sqlite, {
    settings: {
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '10000000',
      COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
      COUNTERSIGN_UPSTREAM: upstreamUrl,
      COUNTERSIGN_REQUESTS_KEPT_MAX: String(Math.max(1000, 2 * size.requests)),
    },
    // In threads of their own, as in production.
    overrides: { requestWrites: undefined, hasReportThread: undefined },
  });
  const startMs = play.scene.nowMs() - 25 * spanMs.day;
  const nextSigner = await addCaller(play);
  const fullClientId = await addFullClient(play);
  const clientIds = [fullClientId, ...(await addClients(play, size.clients))];
  onProgress(`${clientIds.length} clients`);
  await addRolesAndPayments(play, Math.min(200, size.clients));
  const database = await play.scene.database();
  await addPeople(play, database, Math.min(100, size.clients));
  await addAccounts(play, size.accounts);
  onProgress(`${size.accounts} accounts`);
  await addRequests(play, database, { clientIds, startMs, count: size.requests }, onProgress);
  await addCounts(play, database, { clientIds, hours: Math.min(744, Math.ceil(size.requests / 100)) });
  const noticeId = await addNotices(play, database, size.notices);
  onProgress(`${size.notices} notices`);
  return { play, clientIds, fullClientId, noticeId, startMs, nextSigner };
}

/** As many network entries as a client can have, none of which combines with another. */
export function networkEntries(count: number): readonly { readonly entry: string; readonly label: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    entry: index % 2 === 0 ? `10.${index >> 8}.${index & 255}.7` : `2001:db8:${index.toString(16)}::/64`,
    label: `Office ${index}`,
  }));
}

export const fullLabels: object = {
  tags: Array.from({ length: 20 }, (_, index) => `tag-${index}-`.padEnd(40, 'x')),
  metadata: Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`key-${index}`, '\u{fdfa}'.repeat(500)]),
  ),
};

/** Equal requests must not carry equal signatures, so each is a second older than the one before. */
async function addCaller({ scene, operator }: Play): Promise<() => Signer> {
  const { publicKey, privateKey } = publishedKeyPair('rsa-2048-a');
  const { clientId } = await scene.succeed<{ clientId: string }>(operator, 'addClient', {
    body: {
      name: 'Calls every operation',
      networkWhitelist: [{ entry: '0.0.0.0' }],
      publicKey,
      roles: ['operator'],
    },
  });
  let signed = 0;
  return () => {
    signed += 1;
    const secondsAgo = signed % secondsAccepted;
    return createSigner({ keyid: clientId, privateKey, nowMs: () => scene.nowMs() - 1000 * secondsAgo });
  };
}

/** A signature may be 300 seconds old. */
const secondsAccepted = 270;

async function addFullClient(play: Play): Promise<string> {
  const body = {
    name: 'Everything that a client may have',
    networkWhitelist: networkEntries(1000),
    publicKey: lonePublicKey(),
    ...fullLabels,
  };
  const { clientId } = await play.scene.succeed<{ clientId: string }>(play.operator, 'addClient', { body });
  return clientId;
}

const importedAtOnce = 100;
/** Examining a key takes long, so not every client has one. */
const everyKey = 10;

async function addClients(play: Play, count: number): Promise<string[]> {
  const clientIds: string[] = [];
  for (let start = 0; start < count; start += importedAtOnce) {
    const clients = Array.from({ length: Math.min(importedAtOnce, count - start) }, (_, index) => ({
      name: `Client ${start + index} of Exämple Ltd`,
      networkWhitelist: networkEntries(10),
      roles: ['payments-reader', 'auditor'],
      tags: [`region-${index % 5}`, 'production'],
      metadata: { owner: `team-${index % 20}@example.test`, note: 'x'.repeat(200) },
      ...(index % everyKey === 0 && { publicKey: lonePublicKey() }),
    }));
    const { results } = await play.scene.succeed<{ results: { clientId: string }[] }>(
      play.operator,
      'importClients',
      { body: { clients } },
    );
    clientIds.push(...results.map(({ clientId }) => clientId));
  }
  return clientIds;
}

async function addRolesAndPayments(play: Play, count: number): Promise<void> {
  const { scene, operator, newName } = play;
  for (let index = 0; index < count; index += 1) {
    await scene.succeed(operator, 'addRole', {
      body: { name: newName(), summary: 'x'.repeat(200), permissions: ['payments:read', 'payments:write'] },
    });
    await scene.succeed(operator, 'createPayment', {
      body: {
        amount: 1,
        currency: currencies[0],
        reference: newName(),
        description: '\u{fdfa}'.repeat(250),
      },
    });
  }
}

async function addPeople({ scene, person, newName }: Play, database: Database, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await scene.addPerson({ accountId: person.accountId, role: 'viewer', name: newName() });
  const invitations = Array.from({ length: Math.max(1, count - 20) }, (_, index) => ({
    invitation_id: newId('invitation', scene.nowMs()),
    account_id: person.accountId,
    email: `expected-${index}@example.test`,
    role: 'viewer' as const,
    token_hash: `expected ${index}`,
    invited_by: person.userId,
    created_at_ms: scene.nowMs(),
    expires_at_ms: scene.nowMs() + spanMs.day,
    accepted_at_ms: null,
  }));
  await database.insertInto('invitations').values(invitations).execute();
}

async function addAccounts({ scene }: Play, count: number): Promise<void> {
  await scene.change(async (registry) => {
    for (let index = 0; index < count; index += 1) await registry.addAccount({ name: `Customer ${index}` });
  });
}

interface Requests {
  readonly clientIds: readonly string[];
  readonly startMs: number;
  readonly count: number;
}

const rowsAtOnce = 500;
const batchesAtOnce = 40;

async function addRequests(
  { operator: { accountId } }: Play,
  database: Database,
  requests: Requests,
  onProgress: (text: string) => void,
): Promise<void> {
  const { count } = requests;
  for (let start = 0; start < count; start += rowsAtOnce * batchesAtOnce) {
    const end = Math.min(count, start + rowsAtOnce * batchesAtOnce);
    await inTransaction(database, async (transaction) => {
      for (let first = start; first < end; first += rowsAtOnce) {
        const length = Math.min(rowsAtOnce, end - first);
        const rows = Array.from({ length }, (_, index) => requestRow(first + index, accountId, requests));
        await insertRequestRecords(transaction, rows);
      }
    });
    onProgress(`${end} requests`);
  }
}

const outcomes = ['signature_invalid', 'network_not_allowed', 'created_expired', 'permission_denied'];

/** A quarter is rejected. Paths are long, some as long as can be stored. */
function requestRow(index: number, accountId: string, { clientIds, startMs, count }: Requests): RequestRow {
  const receivedAtMs = startMs + Math.floor((index * 24 * spanMs.day) / count);
  const isRefused = index % 4 === 0;
  const outcome = isRefused ? outcomes[(index / 4) % outcomes.length]! : 'accepted';
  return {
    request_id: newId('request', receivedAtMs),
    received_at_ms: receivedAtMs,
    account_id: accountId,
    client_id: clientIds[index % 7 === 0 ? 0 : index % clientIds.length]!,
    is_proved: isRefused ? 0 : 1,
    outcome,
    is_observed: index % 64 === 0 ? 1 : 0,
    reason: isRefused ? 'x'.repeat(200) : null,
    method: index % 3 === 0 ? 'POST' : 'GET',
    url: `/v1/orders/${index % 5000}/${'lines/'.repeat(index % 10 === 0 ? 83 : 5)}`,
    status: isRefused ? 401 : 200,
    source_address: `203.0.${(index >> 4) & 255}.${index & 255}`,
    key_fingerprint: null,
    clock_difference_seconds: 1,
    duration_us: (index * 7919) % 100_000,
  };
}

/** Statistics by client for a month of hours, and by account. */
async function addCounts(
  { scene, operator: { accountId } }: Play,
  database: Database,
  { clientIds, hours }: { readonly clientIds: readonly string[]; readonly hours: number },
): Promise<void> {
  const nowMs = scene.nowMs();
  const counted = ['', ...clientIds.slice(0, countedClients)];
  for (const span of ['hour', 'day'] as const) {
    const spans = span === 'hour' ? hours : Math.ceil(hours / 24);
    await inTransaction(database, async (transaction) => {
      for (let index = 0; index < spans; index += 1) {
        const startsAtMs = nowMs - (nowMs % spanMs[span]) - index * spanMs[span];
        for (const outcome of ['accepted', ...outcomes.slice(0, 2)]) {
          const row = { account_id: accountId, span, starts_at_ms: startsAtMs, key_id: '', outcome };
          await addRequestCounts(
            transaction,
            counted.map((clientId) => ({ ...row, client_id: clientId, count: 5, observed_count: 1 })),
          );
        }
      }
    });
  }
  const sources = Array.from({ length: 200 }, (_, index) => ({
    starts_at_ms: nowMs - (nowMs % spanMs.day),
    source: `198.51.100.${index}`,
    outcome: 'signature_missing',
    count: index,
    last_at_ms: nowMs,
    last_request_id: newId('request', nowMs),
  }));
  await addUnattributedCounts(database, sources, { rowsPerDayMax: 1000 });
}

const countedClients = 100;

/** Returns one of them. */
async function addNotices({ scene, person }: Play, database: Database, count: number): Promise<string> {
  const nowMs = scene.nowMs();
  const { accountId } = person;
  await changeRegistry(database, async (transaction) => {
    for (let index = 0; index < count; index += 1) {
      const notice = {
        accountId,
        kind: 'key_due',
        mark: `mark ${index}`,
        happenedAtMs: nowMs - index,
      } as const;
      await addNotice(transaction, notice, { nowMs, isMailed: false });
    }
  });
  const row = await database.selectFrom('notices').select('notice_id').executeTakeFirstOrThrow();
  return row.notice_id;
}

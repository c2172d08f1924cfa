import {
  isNetworkLabel,
  networkLimits,
  opensWide,
  readNetworkEntry,
  type WhitelistEntry,
} from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { changeClient } from './client-change.ts';
import type { ClientRecord } from './client-records.ts';
import type { ChangeContext } from './context.ts';
import { networkUseId, readLastUses } from './last-uses.ts';
import { requireSecondPerson } from './second-person.ts';

/** A stored whitelist entry: canonical text, and its label. */
export interface NetworkRecord {
  readonly entry: string;
  readonly label: string;
}

/** A whitelist entry as entered: a text, or a text with a label of at most 100 characters. */
export type NetworkInput = string | { readonly entry: string; readonly label?: string | undefined };

/**
 * Parses a whole whitelist into canonical entries without duplicates.
 *
 * @throws RegistryError `network_empty`, `network_invalid` (with the entry's number), `network_too_long`
 */
export function readNetwork(inputs: readonly NetworkInput[]): readonly NetworkRecord[] {
  if (inputs.length === 0) throw new RegistryError('network_empty', networkLimits.emptyAdvice);
  if (inputs.length > networkLimits.entriesMax)
    throw new RegistryError('network_too_long', networkLimits.tooManyAdvice);
  return readEntries(inputs);
}

/**
 * Parses entries into canonical ones without duplicates. Of two equal ones, the last label counts.
 *
 * @throws RegistryError `network_invalid` (with the entry's number)
 */
export function readEntries(inputs: readonly NetworkInput[]): readonly NetworkRecord[] {
  const records = new Map<string, NetworkRecord>();
  for (const [index, input] of inputs.entries()) {
    const { entry, label = '' } = typeof input === 'string' ? { entry: input } : input;
    const reading = readNetworkEntry(entry);
    if (!reading.ok)
      throw new RegistryError('network_invalid', `Whitelist entry ${index + 1}: ${reading.message}`);
    if (!isNetworkLabel(label)) {
      throw new RegistryError(
        'network_invalid',
        `Whitelist entry ${index + 1}: write a label of at most 100 characters, without control characters.`,
      );
    }
    records.set(reading.entry.text, { entry: reading.entry.text, label });
  }
  return [...records.values()];
}

/**
 * Replaces a client's network whitelist. Entries that stay keep their age and last use.
 *
 * @throws RegistryError like `changeClient` and `readNetwork`
 */
export async function setClientNetwork(
  database: Database,
  clientId: string,
  network: readonly NetworkInput[],
  context: ChangeContext,
): Promise<ClientRecord> {
  const records = readNetwork(network);
  return changeClient(database, clientId, context, { widens: true }, async (transaction, client) => {
    const wanted = new Map(records.map((record) => [record.entry, record.label]));
    const present = new Map(client.network.map((record) => [record.entry, record.label]));
    const removed = client.network.filter(({ entry, label }) => wanted.get(entry) !== label);
    const added = records.filter(({ entry, label }) => present.get(entry) !== label);
    if (removed.length === 0 && added.length === 0) return [];
    await guardWidth(transaction, client, records, context);
    const gone = removed.filter(({ entry }) => !wanted.has(entry)).map(({ entry }) => entry);
    await removeEntries(transaction, clientId, gone);
    const labelled = added.filter(({ entry }) => present.has(entry));
    for (const record of labelled) await labelEntry(transaction, clientId, record);
    await insertEntries(
      transaction,
      clientId,
      added.filter(({ entry }) => !present.has(entry)),
      context.nowMs,
    );
    return [{ action: 'network.replaced', before: { entries: removed }, after: { entries: added } }];
  });
}

/**
 * Adds one entry to a client's whitelist.
 *
 * @throws RegistryError like `changeClient`, and `network_invalid`, `network_entry_taken`, `network_too_long`
 */
export async function addNetworkEntry(
  database: Database,
  clientId: string,
  input: NetworkInput,
  context: ChangeContext,
): Promise<ClientRecord> {
  const records = readNetwork([input]);
  return changeClient(database, clientId, context, { widens: true }, async (transaction, client) => {
    if (client.network.some(({ entry }) => entry === records[0]?.entry))
      throw new RegistryError('network_entry_taken', 'The entry is already on the whitelist.');
    if (client.network.length >= networkLimits.entriesMax)
      throw new RegistryError('network_too_long', networkLimits.tooManyAdvice);
    await guardWidth(transaction, client, [...client.network, ...records], context);
    await insertEntries(transaction, clientId, records, context.nowMs);
    return [{ action: 'network.added', after: { entries: records } }];
  });
}

/**
 * Removes one entry from a client's whitelist. The last entry can't be removed.
 *
 * @param text the entry in any spelling
 * @throws RegistryError like `changeClient`, and `network_entry_unknown`, `network_entry_last`
 */
export async function removeNetworkEntry(
  database: Database,
  clientId: string,
  text: string,
  context: ChangeContext,
): Promise<ClientRecord> {
  const reading = readNetworkEntry(text);
  return changeClient(database, clientId, context, { widens: false }, async (transaction, client) => {
    const record = client.network.find(({ entry }) => reading.ok && entry === reading.entry.text);
    if (record === undefined)
      throw new RegistryError('network_entry_unknown', 'The whitelist has no such entry.');
    if (client.network.length === 1) {
      throw new RegistryError(
        'network_entry_last',
        'This is the last entry, and an empty whitelist would reject every request: replace the whitelist, or disable the client.',
      );
    }
    await removeEntries(transaction, clientId, [record.entry]);
    return [{ action: 'network.removed', before: { entries: [record] } }];
  });
}

/** Has a whitelist that becomes very wide wait for a second person. */
async function guardWidth(
  transaction: Transaction<Schema>,
  { clientId, accountId, name, network }: ClientRecord,
  next: readonly NetworkRecord[],
  context: ChangeContext,
): Promise<void> {
  if (!isOpening(network, next)) return;
  const target = { type: 'client', id: clientId, name } as const;
  const change = { accountId, target, before: { entries: network }, after: { entries: next } };
  await requireSecondPerson(transaction, change, context);
}

/** Returns true if a whitelist becomes very wide. */
export function isOpening(before: readonly NetworkRecord[], after: readonly NetworkRecord[]): boolean {
  const texts = (records: readonly NetworkRecord[]): readonly string[] => records.map(({ entry }) => entry);
  return opensWide(texts(before), texts(after));
}

/** Reads a client's whitelist with each entry's age and last use, in entry order. */
export async function readWhitelist(database: Database, clientId: string): Promise<WhitelistEntry[]> {
  const rows = await database
    .selectFrom('network_entries')
    .select(['entry', 'label', 'created_at_ms'])
    .where('client_id', '=', clientId)
    .orderBy('entry')
    .execute();
  const seen = await readLastUses(
    database,
    'network',
    rows.map(({ entry }) => networkUseId(clientId, entry)),
  );
  return rows.map(({ entry, label, created_at_ms: createdAtMs }) => {
    const lastSeenMs = seen.get(networkUseId(clientId, entry));
    return {
      entry,
      label,
      createdAt: new Date(createdAtMs).toISOString(),
      ...(lastSeenMs === undefined ? {} : { lastSeenAt: new Date(lastSeenMs).toISOString() }),
    };
  });
}

/** Keeps each statement short, because SQLite blocks the thread that serves requests. */
const entriesAtOnce = 200;

/** Inserts a new client's entries. */
export async function insertEntries(
  transaction: Transaction<Schema>,
  clientId: string,
  network: readonly NetworkRecord[],
  nowMs: number,
): Promise<void> {
  for (let start = 0; start < network.length; start += entriesAtOnce) {
    const rows = network.slice(start, start + entriesAtOnce).map(({ entry, label }) => ({
      client_id: clientId,
      entry,
      label,
      created_at_ms: nowMs,
    }));
    await transaction.insertInto('network_entries').values(rows).execute();
  }
}

async function removeEntries(
  transaction: Transaction<Schema>,
  clientId: string,
  entries: readonly string[],
): Promise<void> {
  if (entries.length === 0) return;
  await transaction
    .deleteFrom('network_entries')
    .where('client_id', '=', clientId)
    .where('entry', 'in', entries)
    .execute();
}

async function labelEntry(
  transaction: Transaction<Schema>,
  clientId: string,
  { entry, label }: NetworkRecord,
): Promise<void> {
  await transaction
    .updateTable('network_entries')
    .set({ label })
    .where('client_id', '=', clientId)
    .where('entry', '=', entry)
    .execute();
}

import { keyTimes, newId, searchNameOf } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { limitAfter } from './account-rules.ts';
import { readAccount } from './accounts.ts';
import { difference, type Difference } from './audit.ts';
import { changeFor, notPermitted } from './caller.ts';
import { changeClient, recordClientEvent } from './client-change.ts';
import { insertDirectory, readDirectory, type WrittenDirectory } from './client-directories.ts';
import { metadataAfter, type MetadataChange, readTags, writeTags } from './client-labels.ts';
import { chosenProfile, profileColumns, type ProfileChoice } from './client-profile.ts';
import { type ClientMetadata, type ClientRecord, readClient } from './client-records.ts';
import type { ChangeContext, StoreContext } from './context.ts';
import { changeDirectory } from './directory-changes.ts';
import {
  algorithmsOfProfile,
  algorithmToRegister,
  checkKeysFit,
  checkKeysOfProfile,
} from './key-algorithm.ts';
import { isCurrentKey } from './key-state.ts';
import { insertKey, type OfferedKey, readKeyToRegister } from './keys.ts';
import { checkClientId, checkName } from './names.ts';
import { insertEntries, isOpening, type NetworkInput, readNetwork } from './networks.ts';
import { checkGrant, permissionsAdded, permissionsOfRoles, roleIdsByName, writeRoles } from './roles.ts';
import { requireSecondPerson } from './second-person.ts';

export interface NewClient extends ProfileChoice {
  readonly accountId: string;
  readonly name: string;
  /** Set for a client that moves here from another service; a new ID is generated if omitted. */
  readonly clientId?: string | undefined;
  /** Without a public key, the client's requests fail until one is added. */
  readonly publicKey?: OfferedKey | undefined;
  /** The only algorithm that the key is for. Default what the key says, or the usual one of its kind. */
  readonly algorithm?: string | undefined;
  /** When this key ends. Default never. */
  readonly keyEndsAtMs?: number | undefined;
  /** The directory that its keys come from, instead of a public key. */
  readonly directory?: WrittenDirectory | undefined;
  /** When it goes away by itself, and its keys end at the latest. Default never. */
  readonly expiresAtMs?: number | undefined;
  readonly network: readonly NetworkInput[];
  /** Role names. Without roles, the client may only call operations that need no permission. */
  readonly roles: readonly string[];
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: ClientMetadata | undefined;
  readonly allowExplanations?: boolean | undefined;
  /** The rate limit, per minute and at once; null if the account's limit applies. */
  readonly requestsPerMinuteMax?: number | null | undefined;
  readonly requestsBurstMax?: number | null | undefined;
}

/**
 * Adds a client.
 *
 * @throws RegistryError, in which case nothing is written
 */
export async function addClient(
  database: Database,
  client: NewClient,
  initialContext: StoreContext,
): Promise<ClientRecord> {
  const { nowMs } = initialContext;
  checkName(client.name);
  if (client.clientId !== undefined) checkClientId(client.clientId);
  const clientId = client.clientId ?? newId('client', nowMs);
  const network = readNetwork(client.network);
  const tags = readTags(client.tags ?? []);
  const metadata = metadataAfter({}, client.metadata ?? {});
  const profile = chosenProfile(client) ?? 'countersign';
  const directory = directoryOf(client, profile);
  checkExpiry(client, nowMs);
  const key = keyToRegister(client, profile, initialContext);
  return changeFor(database, initialContext, async (transaction, context) => {
    const isForeign = context.accountId !== undefined && context.accountId !== client.accountId;
    // Only the operator decides a client's account and clientId.
    if (isForeign || (context.accountId !== undefined && client.clientId !== undefined)) throw notPermitted();
    const account = await readAccount(transaction, client.accountId);
    if (account.status === 'closed') {
      throw new RegistryError('account_unknown', 'The account is closed: specify another accountId.', {
        member: ['accountId'],
      });
    }
    const roleIds = await roleIdsByName(transaction, account, client.roles);
    if (context.grantable !== undefined)
      checkGrant(
        await permissionsOfRoles(transaction, roleIds, context.addedPermissions ?? {}),
        context.grantable,
      );
    await checkNotTaken(transaction, clientId);
    const grants = await permissionsAdded(transaction, [], roleIds, context.addedPermissions);
    if (grants.length > 0 || isOpening([], network)) {
      const { accountId, name, roles } = client;
      const target = { type: 'account', id: accountId, name: account.name } as const;
      const expiresAt = timeText(client.expiresAtMs);
      const after = { name, roles: [...roles], permissionsAdded: grants, entries: network, expiresAt };
      await requireSecondPerson(transaction, { accountId, target, after, grants }, context);
    }
    await insertClient(transaction, clientId, { ...client, metadata, profile }, nowMs);
    await insertEntries(transaction, clientId, network, nowMs);
    await writeRoles(transaction, clientId, roleIds);
    await writeTags(transaction, clientId, tags);
    const owner = { ...account, clientId, keys: [], expiresAtMs: client.expiresAtMs };
    if (directory !== undefined) await insertDirectory(transaction, owner, directory, nowMs);
    const overlapMs = keyTimes.overlapSecondsDefault * 1000;
    const added =
      key && (await insertKey(transaction, owner, key, { overlapMs, endsAtMs: client.keyEndsAtMs }, nowMs));
    const { name, roles, allowExplanations = false } = client;
    const after = {
      name,
      roles,
      tags: tags.length > 0 ? tags : undefined,
      metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
      profile,
      allowExplanations,
      requestsPerMinuteMax: client.requestsPerMinuteMax ?? undefined,
      requestsBurstMax: client.requestsBurstMax ?? undefined,
      network,
      expiresAt: timeText(client.expiresAtMs),
      keyFingerprint: added?.fingerprint,
      keyEndsAt: timeText(client.keyEndsAtMs),
      directoryUrl: directory?.url,
    };
    const version = await recordClientEvent(transaction, owner, { action: 'client.added', after }, context);
    await transaction.updateTable('clients').set({ version }).where('client_id', '=', clientId).execute();
    return readClient(transaction, clientId);
  });
}

function directoryOf(
  { directory: written, publicKey }: NewClient,
  profile: string,
): ReturnType<typeof readDirectory> | undefined {
  const directory = written && readDirectory(written, profile);
  if (directory !== undefined && publicKey !== undefined) {
    throw new RegistryError('directory_invalid', 'Omit the public key, or the directory of public keys.', {
      member: ['directoryUrl'],
    });
  }
  return directory;
}

const dayMs = 86_400_000;

/**
 * Checks when a temporary client expires. It has registered keys alone: what a directory publishes could outlive it.
 */
function checkExpiry({ expiresAtMs, directory }: NewClient, nowMs: number): void {
  if (expiresAtMs === undefined) return;
  const invalid = (message: string): RegistryError =>
    new RegistryError('key_dates_invalid', message, { member: ['expiresAt'] });
  if (expiresAtMs <= nowMs) throw invalid('Choose a time in the future.');
  if (expiresAtMs > nowMs + keyTimes.endDaysMax * dayMs)
    throw invalid(`Choose a time within ${keyTimes.endDaysMax} days, or omit it for a client that stays.`);
  if (directory !== undefined)
    throw invalid('Omit it, or the directory: a temporary client has registered keys.');
}

function timeText(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}

/** Reads a new client's key, and decides what it is for. */
function keyToRegister(
  { publicKey, algorithm: said, keyEndsAtMs }: NewClient,
  profile: string,
  { keyPolicy, profileAlgorithms, nowMs }: StoreContext,
): Parameters<typeof insertKey>[2] | undefined {
  if (keyEndsAtMs !== undefined && (publicKey === undefined || keyEndsAtMs <= nowMs)) {
    const message =
      publicKey === undefined ? 'Omit it, or give the public key.' : 'Choose a time in the future.';
    throw new RegistryError('key_dates_invalid', message, { member: ['keyEndsAt'] });
  }
  if (publicKey === undefined) {
    if (said === undefined) return undefined;
    throw new RegistryError('key_refused', 'Omit the algorithm, or give the public key that it is for.', {
      reason: 'key_missing',
      member: ['algorithm'],
    });
  }
  const key = readKeyToRegister(publicKey, keyPolicy);
  return { key, algorithm: algorithmToRegister({ key, said, profile }, profileAlgorithms) };
}

/** Changes to a client, except its state, keys and network. */
export interface ClientUpdate extends ProfileChoice {
  readonly name?: string | undefined;
  /** Role names. */
  readonly roles?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: MetadataChange | undefined;
  readonly allowExplanations?: boolean | undefined;
  /** The directory that its keys come from; `null` removes it. */
  readonly directory?: WrittenDirectory | null | undefined;
  /** `null` removes a limit. */
  readonly requestsPerMinuteMax?: number | null | undefined;
  readonly requestsBurstMax?: number | null | undefined;
}

/**
 * Changes a client's name, roles, tags, metadata and settings, all or nothing. Existing roles may stay; the caller must hold every
 * permission of the roles it adds.
 *
 * @throws RegistryError like `changeClient`, and `name_invalid`, `role_unknown`, `tags_invalid`, `metadata_invalid`,
 *   `directory_invalid`, `key_not_for_profile`
 */
export async function updateClient(
  database: Database,
  clientId: string,
  change: ClientUpdate,
  context: ChangeContext,
): Promise<ClientRecord> {
  if (change.name !== undefined) checkName(change.name);
  const chosen = chosenProfile(change);
  const widens =
    (chosen !== undefined && chosen !== 'countersign') || (change.directory ?? undefined) !== undefined;
  return changeClient(database, clientId, context, { widens }, async (transaction, client, now) => {
    const { name = client.name, allowExplanations = client.allowExplanations } = change;
    const profile = chosen ?? client.profile;
    const allowed =
      profile === client.profile ? undefined : algorithmsOfProfile(profile, now.profileAlgorithms);
    // Those of a directory follow it.
    if (client.directory?.lastSuccessAtMs === undefined) checkKeysOfProfile(client.keys, profile, allowed);
    const roles =
      change.roles === undefined ? client.roles : await changeRoles(transaction, client, change.roles, now);
    const tags = change.tags === undefined ? client.tags : readTags(change.tags);
    const metadata = metadataAfter(client.metadata, change.metadata ?? {});
    const requestsPerMinuteMax = limitAfter(change.requestsPerMinuteMax, client.requestsPerMinuteMax);
    const requestsBurstMax = limitAfter(change.requestsBurstMax, client.requestsBurstMax);
    const present = {
      name: client.name,
      roles: client.roles,
      tags: client.tags,
      metadata: client.metadata,
      profile: client.profile,
      allowExplanations: client.allowExplanations,
      requestsPerMinuteMax: client.requestsPerMinuteMax,
      requestsBurstMax: client.requestsBurstMax,
    };
    const differs = difference(present, {
      name,
      roles,
      tags,
      metadata,
      profile,
      allowExplanations,
      requestsPerMinuteMax,
      requestsBurstMax,
    });
    const followed = await changeDirectory(transaction, client, change.directory, profile, now);
    if (client.directory === undefined && followed === undefined)
      checkKeysFit(client, profile, allowed, now.nowMs);
    if (differs === undefined && followed === undefined) return [];
    const event = updatedEvent(differs, followed);
    const keysEnded = replacedKeys(client, change.directory, followed, now.nowMs);
    await guardUpdate(transaction, client, { roles: change.roles, keysEnded }, event, now);
    if (differs === undefined) return [event];
    if ('tags' in differs.after) await writeTags(transaction, clientId, tags);
    await transaction
      .updateTable('clients')
      .set({
        name,
        search_name: searchNameOf(name),
        ...profileColumns(profile),
        allow_explanations: allowExplanations ? 1 : 0,
        requests_per_minute_max: requestsPerMinuteMax ?? null,
        requests_burst_max: requestsBurstMax ?? null,
        metadata: JSON.stringify(metadata),
      })
      .where('client_id', '=', clientId)
      .execute();
    return [event];
  });
}

function updatedEvent(
  differs: Difference | undefined,
  followed: Difference | undefined,
): Difference & { readonly action: 'client.updated' } {
  return {
    action: 'client.updated',
    before: { ...differs?.before, ...followed?.before },
    after: { ...differs?.after, ...followed?.after },
  };
}

/**
 * Has a change wait for a second person if it gives a client more permissions, or ends keys of it for good. One guard for
 * both: what is approved is a whole change.
 */
async function guardUpdate(
  transaction: Transaction<Schema>,
  client: ClientRecord,
  {
    roles,
    keysEnded,
  }: { readonly roles?: readonly string[] | undefined; readonly keysEnded: readonly string[] },
  { before, after }: Difference,
  context: ChangeContext,
): Promise<void> {
  const { clientId, accountId, name } = client;
  const added = roles === undefined ? [] : await permissionsGiven(transaction, client, roles, context);
  if (added.length === 0 && keysEnded.length === 0) return;
  const target = { type: 'client', id: clientId, name } as const;
  const change = {
    accountId,
    target,
    before,
    after: {
      ...after,
      ...(added.length > 0 && { permissionsAdded: added }),
      ...(keysEnded.length > 0 && { keysEnded }),
    },
    grants: [...added, ...(keysEnded.length > 0 ? ['keys:write'] : [])],
  };
  await requireSecondPerson(transaction, change, context);
}

async function permissionsGiven(
  transaction: Transaction<Schema>,
  { accountId, roleIds }: ClientRecord,
  names: readonly string[],
  { addedPermissions }: ChangeContext,
): Promise<readonly string[]> {
  const account = await readAccount(transaction, accountId);
  const next = await roleIdsByName(transaction, account, names);
  return permissionsAdded(transaction, roleIds, next, addedPermissions);
}

/**
 * Returns the fingerprints of the keys that a new directory ends as soon as it gives keys of its own. They cannot come back,
 * unlike those of an earlier directory, which its URL brings back.
 */
function replacedKeys(
  { keys, keyAgeDaysMax }: ClientRecord,
  directory: ClientUpdate['directory'],
  followed: Difference | undefined,
  nowMs: number,
): readonly string[] {
  if (!directory || followed === undefined) return [];
  return keys
    .filter((key) => !key.isPublished && isCurrentKey(key, keyAgeDaysMax, nowMs))
    .map(({ fingerprint }) => fingerprint)
    .toSorted();
}

/** Replaces a client's roles. Returns the new names, sorted. */
async function changeRoles(
  transaction: Transaction<Schema>,
  client: ClientRecord,
  names: readonly string[],
  { grantable, addedPermissions = {} }: ChangeContext,
): Promise<readonly string[]> {
  const account = await readAccount(transaction, client.accountId);
  const roleIds = await roleIdsByName(transaction, account, names);
  const added = roleIds.filter((roleId) => !client.roleIds.includes(roleId));
  if (grantable !== undefined)
    checkGrant(await permissionsOfRoles(transaction, added, addedPermissions), grantable);
  await writeRoles(transaction, client.clientId, roleIds);
  return [...new Set(names)].toSorted();
}

async function insertClient(
  transaction: Transaction<Schema>,
  clientId: string,
  client: NewClient & { readonly profile: string },
  nowMs: number,
): Promise<void> {
  await transaction
    .insertInto('clients')
    .values({
      client_id: clientId,
      account_id: client.accountId,
      name: client.name,
      search_name: searchNameOf(client.name),
      status: 'active',
      ...profileColumns(client.profile),
      allow_explanations: client.allowExplanations === true ? 1 : 0,
      requests_per_minute_max: client.requestsPerMinuteMax ?? null,
      requests_burst_max: client.requestsBurstMax ?? null,
      metadata: JSON.stringify(client.metadata ?? {}),
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      revoked_at_ms: null,
      expires_at_ms: client.expiresAtMs ?? null,
      version: 0,
    })
    .execute();
}

async function checkNotTaken(transaction: Transaction<Schema>, clientId: string): Promise<void> {
  const taken = await transaction
    .selectFrom('clients')
    .select('client_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (taken !== undefined) {
    throw new RegistryError(
      'client_id_taken',
      'This clientId is already taken, and a clientId is never reused: choose another one, or omit it to have one generated.',
    );
  }
}

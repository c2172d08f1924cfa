import type { Key, KeyInspection } from '@countersign/contract';
import { type Answer, ProblemError } from '@countersign/gate';
import type { OfferedKeyReading } from '@countersign/signature/keys';
import { keyFingerprint } from '@countersign/signature/node';
import type { ClientRecord } from '../../registry/store/client-records.ts';
import { addKey, extendKey, retireKey, revokeKey } from '../../registry/store/key-changes.ts';
import { rotationTimes } from '../../registry/store/key-rotation.ts';
import type { KeyRecord } from '../../registry/store/key-state.ts';
import { findKeyOwner } from '../../registry/store/keys.ts';
import { readLastUses } from '../../registry/store/last-uses.ts';
import type { Database } from '../../storage/transaction.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { readKeyInTurns } from '../key-turns.ts';
import { pageOf, placeOf } from '../page.ts';
import { timeMsIfAny, timestamp } from '../timestamp.ts';
import { clientIdOf, readVisibleClient } from './clients.ts';
import { showAcceptableKey, showKey } from './key-view.ts';

export const keyHandlers = defineHandlers(({ database, change, keyPolicy }) => ({
  /** Oldest first, including keys that have ended. */
  listKeys: async ({ query }, request) => {
    const { limit, afterId } = placeOf(query, 'key');
    const client = await readVisibleClient(database, request);
    const rest = client.keys
      .toSorted((one, other) => (one.keyId < other.keyId ? -1 : 1))
      .filter(({ keyId }) => afterId === undefined || keyId > afterId);
    const { data, nextCursor } = pageOf(
      rest,
      limit,
      ({ keyId }) => keyId,
      (key) => key,
    );
    return {
      status: 200,
      headers: { ETag: entityTag(client.version) },
      body: { data: await showKeys(database, client, data, request), nextCursor },
    };
  },

  addKey: ({ body, key: publicKey }, request) => {
    const key = {
      publicKey: publicKey ?? body.publicKey,
      algorithm: body.algorithm,
      startsAtMs: timeMsIfAny(body.startsAt),
      endsAtMs: timeMsIfAny(body.endsAt),
      overlapMs: body.overlapSeconds === undefined ? undefined : body.overlapSeconds * 1000,
    };
    return change(request, async (transaction, context) => {
      const client = await addKey(transaction, clientIdOf(request), key, context);
      const fingerprint = publicKey && keyFingerprint(publicKey);
      const added = client.keys.find((one) => one.fingerprint === fingerprint);
      return keyAnswer(transaction, client, added, request, 201);
    });
  },

  getKey: async (_input, request) => {
    const client = await readVisibleClient(database, request);
    return keyAnswer(database, client, findKey(client, request), request);
  },

  retireKey: ({ body }, request) =>
    change(request, async (transaction, context) => {
      const retirement = { endsAtMs: timeMsIfAny(body.endsAt), keepsAnother: changesOnlyItself(request) };
      const client = await retireKey(transaction, clientIdOf(request), keyIdOf(request), retirement, context);
      return keyAnswer(transaction, client, findKey(client, request), request);
    }),

  extendKey: ({ body: { endsAt } }, request) =>
    change(request, async (transaction, context) => {
      const end = Date.parse(endsAt);
      const client = await extendKey(transaction, clientIdOf(request), keyIdOf(request), end, context);
      return keyAnswer(transaction, client, findKey(client, request), request);
    }),

  revokeKey: ({ body: { reason } }, request) =>
    change(request, async (transaction, context) => {
      const revocation = { reason, keepsAnother: changesOnlyItself(request) };
      const client = await revokeKey(transaction, clientIdOf(request), keyIdOf(request), revocation, context);
      return keyAnswer(transaction, client, findKey(client, request), request);
    }),

  getKeyRenewalInfo: async (_input, request) => {
    const client = await readVisibleClient(database, request);
    return {
      status: 200,
      // RFC 9773 section 4.3: when to poll again.
      headers: { 'Retry-After': '21600' },
      body: { suggestedWindow: renewalWindow(findKey(client, request), client) },
    };
  },

  inspectKey: async ({ body: { publicKey } }, { caller: { accountId } }) => ({
    status: 200,
    body: await inspect(database, accountId, await readKeyInTurns(publicKey, keyPolicy)),
  }),
}));

/** Returns true for a caller that may change only its own keys; it must not lock itself out. */
function changesOnlyItself({ caller }: ApiRequest): boolean {
  return !caller.permissions.has('keys:write');
}

/** RFC 9773 section 4.2: a window in the past means now. */
function renewalWindow(
  key: KeyRecord,
  { keyAgeDaysMax }: ClientRecord,
): { readonly start: string; readonly end: string } {
  const { windowStartMs, dueMs } = rotationTimes(key, keyAgeDaysMax);
  const { revokedAtMs = Infinity } = key;
  return {
    start: timestamp(Math.min(windowStartMs, revokedAtMs - 1)),
    end: timestamp(Math.min(dueMs, revokedAtMs)),
  };
}

/** Examines a key without repeating any of the text. */
async function inspect(
  database: Database,
  accountId: string,
  reading: OfferedKeyReading,
): Promise<KeyInspection> {
  if (!reading.ok) return { isAcceptable: false, reason: reading.code, advice: reading.message };
  const fingerprint = keyFingerprint(reading.key);
  const owner = await findKeyOwner(database, accountId, fingerprint);
  return showAcceptableKey(reading.key, fingerprint, owner?.clientId);
}

function keyIdOf(request: ApiRequest): string {
  return idInPath(request, 'keyId', 'key');
}

function findKey(client: ClientRecord, request: ApiRequest): KeyRecord {
  const keyId = keyIdOf(request);
  const key = client.keys.find((one) => one.keyId === keyId);
  if (key === undefined) throw new ProblemError('not_found');
  return key;
}

/** Reads within the change's transaction: if reading fails, the change is rolled back too. */
async function keyAnswer(
  database: Database,
  client: ClientRecord,
  key: KeyRecord | undefined,
  request: ApiRequest,
  status: 200 | 201 = 200,
): Promise<Answer<Key>> {
  // The key was just added, so it exists.
  if (key === undefined) throw new Error('A key is missing that was just written.');
  const [body] = (await showKeys(database, client, [key], request)) as [Key];
  const location = { Location: `/v1/clients/${encodeURIComponent(client.clientId)}/keys/${key.keyId}` };
  return { status, headers: { ETag: entityTag(client.version), ...(status === 201 && location) }, body };
}

async function showKeys(
  database: Database,
  client: ClientRecord,
  keys: readonly KeyRecord[],
  { nowMs }: ApiRequest,
): Promise<Key[]> {
  const ids = keys.map(({ keyId }) => keyId);
  const uses = await readLastUses(database, 'key', ids);
  return keys.map((key) => ({
    ...showKey(key, client, uses.get(key.keyId), nowMs),
    publicKeyPem: key.spkiPem,
  }));
}

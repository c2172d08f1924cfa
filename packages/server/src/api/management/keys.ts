import {
  isId,
  type Key,
  keyExtensionSchema,
  type KeyInspection,
  keyInspectionRequestSchema,
  type KeyRenewalInfo,
  keyRequestSchema,
  keyRetirementSchema,
  keyRevocationSchema,
  type Page,
} from '@countersign/contract';
import { keyFingerprint } from '@countersign/signature/node';
import {
  addKey,
  type ClientRecord,
  extendKey,
  findKeyOwner,
  type KeyRecord,
  readLastUses,
  retireKey,
  revokeKey,
  rotationTimes,
} from '../../registry/store.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { entityTag } from '../entity-tag.ts';
import { readPage, writeCursor } from '../page.ts';
import { readBodyAs, refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import { type Answer, ProblemError } from '@countersign/gate';
import type { ApiRequest, Handler } from '../handler.ts';
import { changeContext } from './caller-scope.ts';
import { clientIdOf, readVisibleClient } from './clients.ts';
import { readKeyInTurns } from './key-turns.ts';
import { showKey, timestamp } from './key-view.ts';
import { readBodyWithKey, readManagementBody, readOptionalBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/clients/{clientId}/keys`: oldest first, with those that have ended. */
export function listKeys({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const { limit, afterId } = readPage(request.query, 'key');
    const client = await readVisibleClient(database, request);
    const rest = client.keys
      .toSorted((one, other) => (one.keyId < other.keyId ? -1 : 1))
      .filter(({ keyId }) => afterId === undefined || keyId > afterId);
    const page = rest.slice(0, limit);
    const last = rest.length > limit ? page.at(-1) : undefined;
    const body: Page<Key> = {
      data: await showKeys(database, client, page, request),
      nextCursor: last === undefined ? null : writeCursor(last.keyId),
    };
    return { status: 200, headers: { ETag: entityTag(client.version) }, body };
  };
}

/** `POST /v1/clients/{clientId}/keys` */
export function createKey(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const { body, key: publicKey } = await readBodyWithKey(request, keyRequestSchema, parts.keyPolicy);
    const context = changeContext(request, parts);
    const key = {
      publicKey: publicKey ?? body.publicKey,
      startsAtMs: readTime(body.startsAt),
      endsAtMs: readTime(body.endsAt),
      overlapMs: body.overlapSeconds === undefined ? undefined : body.overlapSeconds * 1000,
    };
    return parts.idempotency.run(request, async (transaction) => {
      const client = await addKey(transaction, clientIdOf(request), key, context);
      const fingerprint = publicKey && keyFingerprint(publicKey);
      const added = client.keys.find((one) => one.fingerprint === fingerprint);
      return keyAnswer(transaction, client, added, request, 201);
    });
  };
}

/** `GET /v1/clients/{clientId}/keys/{keyId}` */
export function getKey({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const client = await readVisibleClient(database, request);
    return keyAnswer(database, client, findKey(client, request), request);
  };
}

/** `POST /v1/clients/{clientId}/keys/{keyId}/retire` */
export function endKeyLater(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const endsAtMs = readTime(readOptionalBody(request, keyRetirementSchema).endsAt);
    // Whoever may change only its own keys must not lock itself out.
    const keepsAnother = !request.caller.permissions.has('keys:write');
    const retirement = { endsAtMs, keepsAnother };
    const context = changeContext(request, parts);
    return inTransaction(parts.database, async (transaction) => {
      const client = await retireKey(transaction, clientIdOf(request), keyIdOf(request), retirement, context);
      return keyAnswer(transaction, client, findKey(client, request), request);
    });
  };
}

/** `POST /v1/clients/{clientId}/keys/{keyId}/extend` */
export function giveKeyMoreTime(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const { endsAt } = readManagementBody(request, keyExtensionSchema);
    const endsAtMs = Date.parse(endsAt);
    const context = changeContext(request, parts);
    return inTransaction(parts.database, async (transaction) => {
      const client = await extendKey(transaction, clientIdOf(request), keyIdOf(request), endsAtMs, context);
      return keyAnswer(transaction, client, findKey(client, request), request);
    });
  };
}

/** `POST /v1/clients/{clientId}/keys/{keyId}/revoke` */
export function endKeyForEver(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const { reason } = readManagementBody(request, keyRevocationSchema);
    const context = changeContext(request, parts);
    return inTransaction(parts.database, async (transaction) => {
      const client = await revokeKey(transaction, clientIdOf(request), keyIdOf(request), reason, context);
      return keyAnswer(transaction, client, findKey(client, request), request);
    });
  };
}

/**
 * `GET /v1/clients/{clientId}/keys/{keyId}/renewal-info`, after RFC 9773 section 4.2. A window in the past means: now.
 */
export function getRenewalInfo({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const client = await readVisibleClient(database, request);
    const key = findKey(client, request);
    const { windowStartMs, dueMs } = rotationTimes(key, client.keyAgeDaysMax);
    const revokedMs = key.revokedAtMs;
    const start = revokedMs === undefined ? windowStartMs : Math.min(windowStartMs, revokedMs - 1);
    const end = revokedMs === undefined ? dueMs : Math.min(dueMs, revokedMs);
    const body: KeyRenewalInfo = { suggestedWindow: { start: timestamp(start), end: timestamp(end) } };
    // RFC 9773 section 4.3: when to ask again.
    return { status: 200, headers: { 'Retry-After': '21600' }, body };
  };
}

/** `POST /v1/keys/inspect`: reads any text, keeps nothing, and repeats nothing of it. */
export function inspectKey({ database, keyPolicy }: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const { publicKey } = readBodyAs(request, keyInspectionRequestSchema);
    const reading = await readKeyInTurns(publicKey, keyPolicy);
    if (!reading.ok) {
      const refused: KeyInspection = { isAcceptable: false, reason: reading.code, advice: reading.message };
      return { status: 200, body: refused };
    }
    const { format, modulusBits } = reading.key;
    const fingerprint = keyFingerprint(reading.key);
    const owner = await findKeyOwner(database, request.caller.accountId, fingerprint);
    const registeredForClientId = owner?.clientId;
    const body: KeyInspection = {
      isAcceptable: true,
      format,
      modulusBits,
      fingerprint,
      ...(registeredForClientId === undefined ? {} : { registeredForClientId }),
    };
    return { status: 200, body };
  };
}

function readTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function keyIdOf({ parameters }: ApiRequest): string {
  const keyId = parameters['keyId'] ?? '';
  if (!isId('key', keyId)) throw new ProblemError('not_found');
  return keyId;
}

function findKey(client: ClientRecord, request: ApiRequest): KeyRecord {
  const keyId = keyIdOf(request);
  const key = client.keys.find((one) => one.keyId === keyId);
  if (key === undefined) throw new ProblemError('not_found');
  return key;
}

/** Read in the transaction of a change: when it cannot be read, the change is not made either. */
async function keyAnswer(
  database: Database,
  client: ClientRecord,
  key: KeyRecord | undefined,
  request: ApiRequest,
  status: 200 | 201 = 200,
): Promise<Answer> {
  // The key that was just added is there.
  if (key === undefined) throw new Error('A key is missing that was just written.');
  const [body] = await showKeys(database, client, [key], request);
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

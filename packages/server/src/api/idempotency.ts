import { createHash, createHmac } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Fixed, TimeMs, Schema } from '../storage/schema.ts';
import { isPostgres } from '../storage/dialect.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import type { Caller } from './caller.ts';
import type { ApiRequest } from './handler.ts';
import { type Answer, ProblemError } from '@countersign/gate';

declare module '../storage/schema.ts' {
  interface Schema {
    idempotency_keys: IdempotencyKeysTable;
  }
}

interface IdempotencyKeysTable {
  /** A hash of client, operation and key. */
  record_id: Fixed<string>;
  /** A hash of the request, keyed if the operator sets a key; the same key with another hash is rejected. */
  fingerprint: Fixed<string>;
  /** The response; headers and body are JSON. */
  status: number;
  headers: string;
  body: string;
  expires_at_ms: Fixed<TimeMs>;
}

/** An operation's work, inside a transaction. */
export type Work<Body = unknown> = (transaction: Transaction<Schema>) => Promise<Answer<Body>>;

/**
 * Runs operations that create something, so that a caller that got no response can safely retry
 * (draft-ietf-httpapi-idempotency-key-header).
 *
 * A key belongs to one operation and to one client, or to one person in one session and account. The response
 * is stored in the transaction of the work, so either both exist or neither. A rejected request stores nothing:
 * the caller corrects it and may reuse the key.
 */
export class Idempotency {
  readonly #database: Database;
  readonly #keptMs: number;
  readonly #hashKey: Buffer | undefined;
  readonly #running = new Set<string>();

  /**
   * @param hashKey a key outside of the database, without which nobody can guess a request, which may have secrets, from its
   *   stored hash. Undefined if there is none.
   */
  constructor(database: Database, keptMs: number, hashKey: Buffer | undefined) {
    this.#database = database;
    this.#keptMs = keptMs;
    this.#hashKey = hashKey;
  }

  /**
   * Does the work, or repeats the first response if the same request came before with the same
   * `Idempotency-Key`. Without the header, it just does the work.
   *
   * @throws ProblemError `idempotency_key_malformed`, `idempotency_key_in_use`, `idempotency_key_reused`
   */
  async run<Body>(request: ApiRequest, work: Work<Body>): Promise<Answer<Body>> {
    const header = request.header('idempotency-key');
    if (header === undefined) return inTransaction(this.#database, work);
    const recordId = hash(...scopeOf(request.caller), request.operation.id, readKey(header));
    if (this.#running.has(recordId)) throw inUse();
    this.#running.add(recordId);
    try {
      return await inTransaction(this.#database, (transaction) =>
        this.#once(transaction, request, recordId, work),
      );
    } finally {
      this.#running.delete(recordId);
    }
  }

  async #once<Body>(
    transaction: Transaction<Schema>,
    request: ApiRequest,
    recordId: string,
    work: Work<Body>,
  ): Promise<Answer<Body>> {
    const { nowMs } = request;
    const fingerprint = fingerprintOf(request, this.#hashKey);
    await forgetExpired(transaction, recordId, nowMs);
    // The record is inserted before the work. If another node is doing the same work, this waits until that is
    // rolled back, or until it is committed and its response can be read.
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('idempotency_keys')
      .values({
        record_id: recordId,
        fingerprint,
        status: 0,
        headers: '',
        body: '',
        expires_at_ms: nowMs + this.#keptMs,
      })
      .onConflict((conflict) => conflict.column('record_id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n)
      // From before the key was set, or from an earlier version.
      return storedResponse(transaction, recordId, [fingerprint, fingerprintOf(request, undefined)]);
    const answer = await work(transaction);
    await transaction
      .updateTable('idempotency_keys')
      .set({
        status: answer.status,
        headers: JSON.stringify(answer.headers ?? {}),
        body: JSON.stringify(answer.body),
      })
      .where('record_id', '=', recordId)
      .execute();
    return answer;
  }
}

async function storedResponse<Body>(
  transaction: Transaction<Schema>,
  recordId: string,
  fingerprints: readonly string[],
): Promise<Answer<Body>> {
  const kept = await transaction
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('record_id', '=', recordId)
    .executeTakeFirst();
  // Another node has just removed it.
  if (kept === undefined) throw inUse();
  if (!fingerprints.includes(kept.fingerprint)) throw new ProblemError('idempotency_key_reused');
  const headers = JSON.parse(kept.headers) as Record<string, string>;
  return {
    status: kept.status,
    headers: { ...headers, 'Idempotency-Replayed': 'true' },
    body: JSON.parse(kept.body) as Body,
  };
}

const expiredPerRun = 50;

/**
 * Removes this record if it has expired, along with other expired ones. Each run removes more records than it
 * adds.
 */
async function forgetExpired(
  transaction: Transaction<Schema>,
  recordId: string,
  nowMs: number,
): Promise<void> {
  await transaction
    .deleteFrom('idempotency_keys')
    .where('record_id', '=', recordId)
    .where('expires_at_ms', '<=', nowMs)
    .execute();
  await transaction
    .deleteFrom('idempotency_keys')
    .where('record_id', 'in', (query) =>
      query
        .selectFrom('idempotency_keys')
        .select('record_id')
        .where('expires_at_ms', '<=', nowMs)
        .orderBy('expires_at_ms')
        .limit(expiredPerRun)
        // Don't wait for rows that another node is about to remove.
        .$if(isPostgres(transaction), (some) => some.forUpdate().skipLocked()),
    )
    .execute();
}

/** Reads the key. The draft requires a quoted string, but most clients send bare text; both name the same key. */
function readKey(header: string): string {
  const key = /^(?:"([A-Za-z0-9._~:+/=-]{1,128})"|([A-Za-z0-9._~:+/=-]{1,128}))$/.exec(header);
  const text = key?.[1] ?? key?.[2];
  if (text === undefined) throw new ProblemError('idempotency_key_malformed');
  return text;
}

/** Returns the key's scope. No client ID contains a space, so no client can choose a person's scope. */
function scopeOf(caller: Caller): readonly string[] {
  return caller.kind === 'client'
    ? [caller.client.clientId]
    : [`person ${caller.person.userId}`, caller.sessionId, caller.accountId];
}

function fingerprintOf(
  { operation, parameters, query, body }: ApiRequest,
  hashKey: Buffer | undefined,
): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  );
  return (hashKey === undefined ? createHash('sha256') : createHmac('sha256', hashKey))
    .update(`${operation.method} ${path}?${query}\n`)
    .update(body)
    .digest('base64url');
}

function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

function inUse(): ProblemError {
  return new ProblemError('idempotency_key_in_use', { headers: { 'Retry-After': '1' } });
}

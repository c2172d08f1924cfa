import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OperationId, operations, type ProblemCode, problemCodesMetBy } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { documentedCodes, documentedMediaTypes } from './documented.ts';
import { goodCalls } from './good-calls.ts';
import { callerOf, openPlay, type Play, provocationOf } from './provocations.ts';

const management = (Object.keys(operations) as OperationId[]).filter(
  (id) => !/^\/v1\/(?:payments|whoami|signature-test)/.test(operations[id].path),
);

/**
 * All other responses that any request can get come before the handler, so they are tested once for all
 * operations: `test/documents/refusals.ts` provokes them, and the tests of `access`, `http`, `limits` and
 * `replay` do.
 */
const decidedByHandlers: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'body_invalid',
  'query_invalid',
  'storage_unavailable',
  'outcome_unknown',
  'internal_error',
]);
const isOwn = (code: ProblemCode): boolean =>
  decidedByHandlers.has(code) || !problemCodesMetBy('every request').includes(code);

/** With what the storage fails, for each answer that says so. */
const failures: ReadonlyMap<ProblemCode, Error> = new Map<ProblemCode, Error>([
  ['storage_unavailable', new StorageError('unavailable', 'Away.')],
  ['outcome_unknown', new StorageError('in_doubt', 'Away.')],
  ['internal_error', new Error('a detail of the database')],
]);

/** They answer without a look at the storage, so that no outage can touch them. */
const withoutStorage: ReadonlySet<OperationId> = new Set<OperationId>([
  'listPermissions',
  'listProfiles',
  'listWebhookEventTypes',
  'getSource',
  'getServiceHealth',
  'listServiceSettings',
  'streamEvents',
]);

/**
 * Each operation of the management API gives each answer that the OpenAPI document lists for it: what is provoked here is read
 * from the document, so nothing can be missing. That it gives no other answer is asserted by every call of a scene.
 */
export function testOutcomes(backend: Backend): void {
  describe(`each operation and each of its outcomes on ${backend.name}`, { skip: backend.skip }, () => {
    let play: Play;
    let outage: Error | undefined;
    before(async () => {
      play = await openPlay(backend, {
        settings: {
          COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1000000',
          COUNTERSIGN_PROFILES: 'curl-8.22',
        },
        overrides: { wrapApiDatabase: (database) => failingWith(database, () => outage) },
      });
    });
    after(() => play.scene.close());

    for (const id of management) {
      test(`${id} succeeds, as ${documentedMediaTypes(id).join(' and ')}`, async () => {
        for (const mediaType of documentedMediaTypes(id)) {
          const call = await goodCalls[id]!(play);
          const format = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' }[mediaType];
          const options = format === undefined ? call : { ...call, query: `format=${format}` };
          const answer = await play.scene.call(callerOf(play, id), id, options);
          assert.ok(answer.status < 300, answer.text);
          assert.equal(String(answer.headers['content-type']).split(';')[0], mediaType);
          assert.ok(answer.headers['ratelimit'] !== undefined);
        }
      });

      const codes = documentedCodes(id).filter(isOwn);
      test(`${id} refuses: ${codes.join(', ')}`, async () => {
        // Nothing is done where storage fails, so one call serves for all failures.
        const call = await goodCalls[id]!(play);
        for (const code of codes) {
          const failure = failures.get(code);
          if (failure !== undefined) {
            outage = failure;
            const answer = await play.scene.call(callerOf(play, id), id, call).finally(() => {
              outage = undefined;
            });
            assert.equal(answer.text.includes('a detail of the database'), false);
            if (withoutStorage.has(id)) assert.equal(answer.status, 200);
            else assert.equal(answer.json()['code'], code, `${id}: ${answer.text}`);
          } else {
            const answer = await provocationOf(id, code)(play);
            assert.equal(answer.json()['code'], code, `${id}: ${answer.text}`);
          }
        }
      });
    }
  });
}

/** A database that fails where the error is not undefined. */
function failingWith(database: Database, error: () => Error | undefined): Database {
  return database.withPlugin({
    transformQuery({ node }) {
      const present = error();
      if (present !== undefined) throw present;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

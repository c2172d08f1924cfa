import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newId, type RequestEntry } from '@countersign/contract';
import { createSigner } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { otherKeyPair, sendSigned } from '@countersign/testing/running-service';
import { waitFor } from '@countersign/testing/wait-until';
import { databaseFileName } from '../../src/registry/local-registry.ts';
import { insertRequestRecords, type RequestRow } from '../../src/request-log/records/request-inserts.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { type Caller, type Data, managementScene, type ManagementScene } from './scene.ts';

for (const backend of backends) {
  describe(`the request log on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let caller: Caller;
    before(async () => {
      scene = await managementScene(backend, { settings: { COUNTERSIGN_SHOWN_QUERY_PARAMETERS: 'cursor' } });
      caller = await scene.addCaller(['payments-reader']);
    });
    after(() => scene.close());

    const list = (query: string): Promise<Data<RequestEntry>> =>
      scene.succeed<Data<RequestEntry>>(scene.administrator, 'listRequests', { query });
    /** It is written after the answer. */
    const entryOf = (requestId: unknown): Promise<RequestEntry> =>
      waitFor(
        async () => {
          const answer = await scene.call(scene.administrator, 'getRequest', {
            path: { requestId: String(requestId) },
          });
          return answer.status === 200 ? (answer.json() as unknown as RequestEntry) : undefined;
        },
        `the entry of ${String(requestId)}`,
      );

    test('tells whoever has the ID of a request that named no client what its sender was told', async () => {
      const unsigned = await scene.running.send({ method: 'GET', url: '/v1/whoami' });
      const requestId = String(unsigned.headers['request-id']);
      const answer = await waitFor(async () => {
        const asked = await scene.call(scene.administrator, 'getRequest', { path: { requestId } });
        return asked.json()['unattributed'] === undefined ? undefined : asked;
      }, 'the request');
      assert.equal(answer.status, 404);
      const { code, unattributed } = answer.json() as { code: string; unattributed: Record<string, string> };
      assert.equal(code, 'not_found');
      assert.deepEqual(Object.keys(unattributed), ['outcome', 'receivedAt']);
      assert.equal(unattributed['outcome'], unsigned.json()['code']);
      const other = await scene.call(scene.administrator, 'getRequest', {
        path: { requestId: newId('request', 0) },
      });
      assert.equal(other.json()['unattributed'], undefined);
    });

    test('has what was asked and how it was decided, without any value of the query', async () => {
      const sentMs = scene.nowMs();
      const answer = await scene.call(caller, 'listPayments', { query: 'limit=7' });
      const answeredMs = scene.nowMs();
      const { durationMs, receivedAt, keyFingerprint, ...entry } = await entryOf(
        answer.headers['request-id'],
      );
      assert.deepEqual(entry, {
        requestId: answer.headers['request-id'],
        accountId: scene.accountId,
        clientId: caller.clientId,
        isProved: true,
        outcome: 'accepted',
        isObserved: false,
        method: 'GET',
        url: '/v1/payments?limit',
        status: 200,
        sourceAddress: '127.0.0.1',
        clockDifferenceSeconds: entry.clockDifferenceSeconds,
      });
      // Signatures know whole seconds.
      const secondsMax = (answeredMs - sentMs) / 1000 + 1;
      assert.ok(Math.abs(entry.clockDifferenceSeconds ?? Number.NaN) <= secondsMax);
      assert.ok(durationMs !== undefined && durationMs > 0);
      assert.ok(Date.parse(receivedAt) >= sentMs && Date.parse(receivedAt) <= answeredMs, receivedAt);
      assert.match(keyFingerprint ?? '', /^SHA256:/);
    });

    test('has refusals with the reason that the caller was not told', async () => {
      const denied = await scene.call(caller, 'createPayment', { body: { amount: 1 } });
      const entry = await entryOf(denied.headers['request-id']);
      assert.deepEqual([entry.outcome, entry.status, entry.isProved], ['permission_denied', 403, true]);
      const { clientId } = caller;
      const forger = createSigner({
        keyid: clientId,
        privateKey: otherKeyPair.privateKey,
        nowMs: scene.nowMs,
      });
      const forged = await sendSigned(scene.running, forger, { method: 'GET', url: '/v1/whoami' });
      const refused = await entryOf(forged.headers['request-id']);
      assert.deepEqual(
        [refused.outcome, refused.isProved, refused.keyFingerprint],
        ['signature_invalid', false, undefined],
      );
      assert.ok((refused.reason ?? '').length > 0);
      assert.equal(forged.text.includes(refused.reason ?? ''), false);
    });

    test('has requests that were refused before their signature was looked at', async () => {
      const signed = caller.signer.sign(
        { method: 'GET', url: 'https://api.example.test/v1/whoami' },
        { created: 1_000_000_000 },
      );
      const old = await scene.running.send({
        method: 'GET',
        url: '/v1/whoami',
        headers: { ...signed.headers },
      });
      const entry = await entryOf(old.headers['request-id']);
      assert.deepEqual(
        [entry.outcome, entry.clientId, entry.isProved],
        ['created_expired', caller.clientId, false],
      );
    });

    test('has nothing of strangers who name no client of anybody', async () => {
      const stranger = createSigner({
        keyid: 'nobody',
        privateKey: otherKeyPair.privateKey,
        nowMs: scene.nowMs,
      });
      const answer = await sendSigned(scene.running, stranger, { method: 'GET', url: '/v1/whoami' });
      const known = await scene.call(caller, 'getWhoami');
      await entryOf(known.headers['request-id']);
      const path = { requestId: String(answer.headers['request-id']) };
      await scene.refused(scene.administrator, 'getRequest', { path }, 'not_found');
    });

    test('a value in the place of a name does not stay', async () => {
      const query = 'secret%20value&a=b&Limit=1&x=2&0123456789=1';
      const answer = await scene.call(caller, 'listPayments', { query });
      assert.equal((await entryOf(answer.headers['request-id'])).url, '/v1/payments?*&a&Limit&x&*');
    });

    test('values of the parameters that the operator names are kept, cut to 100 characters', async () => {
      const answer = await scene.call(caller, 'listPayments', { query: `cursor=${'x'.repeat(200)}&limit=3` });
      const { url } = await entryOf(answer.headers['request-id']);
      assert.equal(url, `/v1/payments?cursor=${'x'.repeat(100)}&limit`);
    });

    test('filters, pages and formats', async () => {
      const all = await list('limit=100');
      assert.deepEqual(
        all.data.map(({ requestId }) => requestId),
        all.data
          .map(({ requestId }) => requestId)
          .toSorted()
          .toReversed(),
      );
      const own = await list(`clientId=${caller.clientId}&limit=100`);
      assert.ok(own.data.length > 0 && own.data.every(({ clientId }) => clientId === caller.clientId));
      const refused = await list(`clientId=${caller.clientId}&outcome=refused`);
      assert.ok(refused.data.length >= 3 && refused.data.every(({ outcome }) => outcome !== 'accepted'));
      const one = await list('outcome=permission_denied');
      assert.ok(one.data.length > 0 && one.data.every(({ outcome }) => outcome === 'permission_denied'));
      assert.deepEqual((await list('from=2100-01-01T00:00:00Z')).data, []);
      assert.deepEqual((await list('to=2000-01-01T00:00:00Z')).data, []);
      const first = await list(`clientId=${caller.clientId}&limit=2`);
      const second = await list(`clientId=${caller.clientId}&limit=2&cursor=${first.nextCursor}`);
      assert.deepEqual([...first.data, ...second.data], own.data.slice(0, 4));
      const query = `clientId=${caller.clientId}&limit=2&format=ndjson`;
      const ndjson = await scene.call(scene.administrator, 'listRequests', { query });
      assert.deepEqual(
        ndjson.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
        first.data,
      );
      await scene.refused(scene.administrator, 'listRequests', { query: 'cursor=x' }, 'cursor_invalid');
    });

    test('what is rare is found among many', async () => {
      const { databaseUrl, dataFolder } = scene.running.service.configuration;
      const file = join(dataFolder, databaseFileName);
      const database = await openDatabase(
        databaseUrl === undefined ? { file } : { url: databaseUrl.reveal() },
      );
      const row = (number: number): RequestRow => ({
        request_id: `request_00${String(number).padStart(24, '0')}`,
        received_at_ms: 0,
        account_id: scene.accountId,
        client_id: caller.clientId,
        is_proved: 1,
        outcome: number === 0 ? 'digest_missing' : 'accepted',
        is_observed: 0,
        reason: null,
        method: 'GET',
        url: number === 0 ? '/a/rare/path' : '/',
        status: 200,
        source_address: '',
        key_fingerprint: null,
        clock_difference_seconds: null,
        duration_us: null,
      });
      await database.transaction().execute(async (transaction) => {
        for (let first = 0; first < 20_100; first += 300)
          await insertRequestRecords(
            transaction,
            Array.from({ length: 300 }, (_, index) => row(first + index)),
          );
      });
      await database.destroy();
      const ofClient = `clientId=${caller.clientId}`;
      const queries = ['outcome=digest_missing', `outcome=digest_missing&${ofClient}`, 'search=rare'];
      for (const query of [...queries, `search=rare&${ofClient}`]) {
        const pages = [await list(query)];
        for (let cursor = pages[0]!.nextCursor; cursor !== null; cursor = pages.at(-1)!.nextCursor)
          pages.push(await list(`${query}&cursor=${cursor}`));
        assert.deepEqual(
          pages.flatMap(({ data }) => data.map(({ requestId }) => requestId)),
          [row(0).request_id],
        );
        assert.equal(pages.length, 1, query);
      }
    });

    test('what a spreadsheet would take for a formula is harmless in CSV', async () => {
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const formula = await scene.addCaller([], { by: operator, body: { clientId: '=1+1' } });
      const answer = await scene.call(formula, 'getWhoami');
      const requestId = String(answer.headers['request-id']);
      const csv = await waitFor(async () => {
        const query = 'format=csv&clientId=%3D1%2B1';
        const { text } = await scene.call(operator, 'listRequests', { query });
        return text.includes(requestId) ? text : undefined;
      }, `the entry of ${requestId}`);
      assert.ok(csv.includes(",'=1+1,"), csv);
    });
  });
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  isId,
  meetsConditions,
  newId,
  readRequestSearch,
  type RequestEntry,
  type RequestTotals,
} from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { listRequestRecords, type RequestMark } from '../../src/request-log/records/request-list.ts';
import { insertRequestRecords, type RequestRow } from '../../src/request-log/records/request-inserts.ts';
import { type Caller, type Client, type Data, managementScene, type ManagementScene } from './scene.ts';

const dayMs = 86_400_000;

for (const backend of backends) {
  describe(`the search for requests on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let acme: Client;
    let other: Client;
    let stranger: Caller & { accountId: string };
    /** All requests of the account in this test, newest first. */
    let entries: readonly RequestEntry[];
    /** What the service itself logs is later. */
    let period: string;

    before(async () => {
      scene = await managementScene(backend);
      const add = (name: string): Promise<Client> =>
        scene.succeed<Client>(scene.administrator, 'addClient', {
          body: {
            name,
            networkWhitelist: [{ entry: '0.0.0.0' }],
            publicKey: scene.freshKey().publicKey,
          },
        });
      acme = await add('Ácme 100% "Pay_ments"');
      other = await add('Other');
      await add('Othello');
      stranger = await scene.addAccount();
      await fill();
      period = `to=${new Date(scene.nowMs() - 10 * dayMs).toISOString()}`;
      entries = (await found('')).toSorted((one, two) => (one.requestId < two.requestId ? 1 : -1));
      assert.equal(entries.length, rowCount);
    });
    after(() => scene.close());

    const rowCount = 60;
    async function fill(): Promise<void> {
      const database = await scene.database();
      const startMs = scene.nowMs() - 20 * dayMs;
      const keys = await scene.succeed<Data<{ fingerprint: string }>>(scene.administrator, 'listKeys', {
        path: { clientId: acme.clientId },
      });
      const row = (index: number): RequestRow => {
        const receivedAtMs = startMs + index * 60_000;
        const isAccepted = index % 3 !== 0;
        const isAcme = index % 2 === 0;
        return {
          request_id: newId('request', receivedAtMs),
          received_at_ms: receivedAtMs,
          account_id: scene.accountId,
          client_id: isAcme ? acme.clientId : other.clientId,
          is_proved: 1,
          outcome: isAccepted ? 'accepted' : index % 9 === 0 ? 'created_expired' : 'signature_invalid',
          is_observed: index % 12 === 3 ? 1 : 0,
          reason: null,
          method: index % 5 === 0 ? 'POST' : 'GET',
          url: urls[index % urls.length] ?? '/',
          status: isAccepted ? 200 + (index % 2) * 4 : index === 30 ? 503 : 401,
          source_address: index % 4 === 0 ? '203.0.113.7' : index % 7 === 0 ? '2001:db8::7' : '198.51.100.1',
          key_fingerprint: isAcme && isAccepted ? (keys.data[0]?.fingerprint ?? null) : null,
          clock_difference_seconds: null,
          duration_us: index === 17 ? null : (index * 7919) % 10_000,
        };
      };
      const rows = Array.from({ length: rowCount }, (_, index) => row(index));
      await insertRequestRecords(database, rows);
      const explained = rows.filter((_, index) => index % 9 === 3 || index % 9 === 6);
      await database
        .insertInto('request_explanations')
        .values(
          explained.map(({ request_id, account_id }, index) => ({
            request_id,
            account_id,
            explanation: '{}',
            // Not every search finds a mistake.
            finding_code: index % 4 === 0 ? null : findings[index % 2]!,
          })),
        )
        .execute();
      await insertRequestRecords(
        database,
        rows.map((one) => ({
          ...one,
          request_id: newId('request', one.received_at_ms),
          account_id: stranger.accountId,
          client_id: stranger.clientId,
        })),
      );
    }
    const findings = ['body_crlf', 'wrong_private_key'] as const;
    const urls = ['/v1/payments', '/v1/payments/p_1?limit', '/v1/Orders/%', '/v1/whoami', '/v1/a_b', '/'];

    const queryOf = (search: string, more = ''): string =>
      `limit=100&${period}${search === '' ? '' : `&search=${encodeURIComponent(search)}`}${more}`;
    async function found(search: string, more = ''): Promise<readonly RequestEntry[]> {
      const { data, nextCursor } = await scene.succeed<Data<RequestEntry>>(
        scene.administrator,
        'listRequests',
        { query: queryOf(search, more) },
      );
      assert.equal(nextCursor, null);
      return data;
    }
    const totals = (search: string, more = ''): Promise<RequestTotals> =>
      scene.succeed<RequestTotals>(scene.administrator, 'getRequestTotals', {
        query: queryOf(search, more).replace('limit=100&', ''),
      });

    test('refuses what it cannot read, and says why', async () => {
      for (const [search, reason] of [
        ['status:teapot', /status takes a number/],
        ['address:203.0.113', /one IP address/],
        ['address:203.0.113.0/24', /one IP address/],
        ['after:2026-02-31', /a day or a time in UTC/],
        ['before:yesterday', /a day or a time in UTC/],
        ['client:"Acme', /quotation mark/],
        ['a b c d e f g h i', /at most 8 words/],
      ] as const) {
        for (const operation of ['listRequests', 'getRequestTotals'] as const) {
          const query = `search=${encodeURIComponent(search)}`;
          const refusal = await scene.refused(scene.administrator, operation, { query }, 'query_invalid');
          assert.match(refusal.reason, reason, search);
        }
      }
      for (const query of [
        `search=${'x'.repeat(257)}`,
        'search=',
        'search=a%00b',
        'search=a%0Ab',
        'search=%ED%A0%80',
        'status=teapot',
        'status=4',
        'sort=reason',
        'sort=status;drop',
        'search=a&search=b',
      ])
        await scene.refused(scene.administrator, 'listRequests', { query }, 'query_invalid');
    });

    test('a text that attacks the database is only a text', async () => {
      for (const search of [
        "' or 1=1 --",
        '";drop table request_records;"',
        '%',
        '_',
        '%%%%',
        'path:%',
        'path:/%',
        'path:/v1/_',
        'client:%',
        'client:_',
        '\\',
        'path:\\',
        'key:%',
        'key:SHA256:%',
        'id:%',
        'id:request_%',
        'code:%',
        'method:%',
        'finding:%',
        "finding:'",
        '\u{10ffff}',
        'path:/\u{10ffff}',
        '🙂'.repeat(100),
        'status:',
        '"""',
      ]) {
        const read = readRequestSearch(search);
        if ('mistake' in read) continue;
        const data = await found(search);
        assert.deepEqual(
          data.map(({ requestId }) => requestId),
          expected(search).map(({ requestId }) => requestId),
          search,
        );
      }
      // A percent sign and an underscore are looked for as they are.
      assert.ok((await found('path:%')).every(({ url }) => url.includes('%')));
      assert.equal((await found('path:%')).length, 10);
      assert.ok((await found('path:a_b')).every(({ url }) => url === '/v1/a_b'));
      assert.ok((await found('client:100%')).every(({ clientId }) => clientId === acme.clientId));
    });

    /** What the contract says of each request: the portal counts new ones by it. */
    function expected(search: string): readonly RequestEntry[] {
      const read = readRequestSearch(search);
      assert.ok('conditions' in read, search);
      const names = new Map([
        [acme.clientId, acme.name],
        [other.clientId, other.name],
      ]);
      return entries.filter((entry) => meetsConditions(entry, read.conditions, (id) => names.get(id)));
    }

    test('finds by each thing that a text can mean, and counts what it finds', async () => {
      const some = entries[4];
      assert.ok(some);
      const fingerprint = entries.find((entry) => entry.keyFingerprint !== undefined)?.keyFingerprint ?? '';
      const day = some.receivedAt.slice(0, 10);
      let isEmptyAllowed = false;
      for (const search of [
        some.requestId,
        `id:${some.requestId}`,
        some.requestId.slice(0, 20),
        '/v1/payments',
        '/v1/payments*',
        '/v1/payments/p_1?limit=secret',
        'https://api.example.test/v1/payments?limit=1',
        'path:PAYMENTS',
        'path:orders',
        '203.0.113.7',
        'ip:203.0.113.7',
        '::ffff:203.0.113.7',
        '2001:DB8:0:0::7',
        'address:2001:db8::7',
        acme.clientId,
        'acme',
        'client:acme',
        'client:"ácme 100%"',
        // Two clients begin like this, and only one has requests.
        'client:oth',
        'oth',
        'orders',
        fingerprint,
        `key:${fingerprint.slice(0, 12)}`,
        'key:SHA256:',
        '401',
        'status:401',
        '4xx',
        'status:2XX',
        '503',
        'accepted',
        'refused',
        'observed',
        'signature_invalid',
        'code:created_expired',
        'finding:body_crlf',
        'finding:wrong_private_key client:acme',
        'finding:Body_CRLF signature_invalid 401 refused',
        'POST',
        'method:get',
        `after:${some.receivedAt}`,
        `before:${some.receivedAt}`,
        `after:${day} before:${day}T23:59Z`,
        '/v1/payments 401',
        '203.0.113.7 refused client:acme',
        'client:acme created_expired 401 /v1/payments',
        'acme payments GET 4xx',
        '401 203.0.113.7',
        `${fingerprint} accepted 200`,
      ]) {
        const want = expected(search);
        assert.ok(want.length > 0 || isEmptyAllowed, search);
        assert.deepEqual(
          (await found(search)).map(({ requestId }) => requestId),
          want.map(({ requestId }) => requestId),
          search,
        );
        const observed = want.filter((entry) => entry.isObserved).length;
        const accepted = want.filter(({ outcome }) => outcome === 'accepted').length;
        assert.deepEqual(
          await totals(search),
          {
            count: want.length,
            accepted,
            observed,
            refused: want.length - accepted - observed,
            isComplete: true,
          },
          search,
        );
      }
      isEmptyAllowed = true;
      for (const search of [
        'client:nobody',
        'key:key_01k9xq2v6h4mz7c1r8t0w5n3bd',
        'SHA256:nothing',
        '192.0.2.1',
        '/v2',
        '418',
        'digest_missing',
        'finding:nothing',
        'finding:body_crlf accepted',
        'after:2100-01-01',
        'before:2000-01-01',
        'request_7zzz',
        'PURGE method:PURGE',
      ]) {
        assert.deepEqual(await found(search), [], search);
        assert.equal((await totals(search)).count, 0, search);
      }
    });

    test('finds the requests of a key by its id', async () => {
      const { data } = await scene.succeed<Data<{ keyId: string; fingerprint: string }>>(
        scene.administrator,
        'listKeys',
        { path: { clientId: acme.clientId } },
      );
      const [key] = data;
      assert.ok(key);
      const requests = await found(key.keyId);
      assert.ok(requests.length > 0);
      assert.deepEqual(requests, await found(key.fingerprint));
    });

    test('shows the mistake that was found in a request, and finds requests by it', async () => {
      const withMistake = entries.filter(({ findingCode }) => findingCode === 'body_crlf');
      assert.ok(withMistake.length > 1 && withMistake.length < entries.length / 3);
      assert.deepEqual(await found('', '&finding=body_crlf'), withMistake);
      assert.equal(
        (await totals('', '&finding=body_crlf')).refused,
        withMistake.filter(({ isObserved }) => !isObserved).length,
      );
      assert.deepEqual(await found('', '&finding=body_crlf&sort=receivedAt'), withMistake.toReversed());
      const [{ requestId } = { requestId: '' }] = withMistake;
      const one = await scene.succeed(scene.administrator, 'getRequest', { path: { requestId } });
      assert.deepEqual(one, withMistake[0]);
      const theirs = { query: 'finding=body_crlf' };
      assert.deepEqual((await scene.succeed<Data<RequestEntry>>(stranger, 'listRequests', theirs)).data, []);
    });

    test('combines the search with the other parameters', async () => {
      const more = `&clientId=${acme.clientId}&outcome=refused&status=4xx`;
      const want = expected('/v1/payments').filter(
        ({ clientId, outcome, isObserved, status }) =>
          clientId === acme.clientId && outcome !== 'accepted' && !isObserved && status < 500,
      );
      assert.ok(want.length > 0);
      assert.deepEqual(await found('/v1/payments', more), want);
      assert.equal((await totals('/v1/payments', more)).count, want.length);
      assert.deepEqual(await found('status:401', '&status=503'), []);
    });

    test('sorts by each member, with a cursor that new requests do not disturb', async () => {
      const database = await scene.database();
      const values = {
        receivedAt: ({ requestId }: RequestEntry) => requestId,
        durationMs: ({ durationMs = -1 }: RequestEntry) => durationMs,
        status: ({ status }: RequestEntry) => status,
        url: ({ url }: RequestEntry) => url,
        sourceAddress: ({ sourceAddress }: RequestEntry) => sourceAddress,
      };
      for (const [name, valueOf] of Object.entries(values)) {
        for (const sort of [name, `-${name}`]) {
          for (const search of ['', '401', '/v1/']) {
            const query = `limit=7&${period}&sort=${sort}${search === '' ? '' : `&search=${encodeURIComponent(search)}`}`;
            const read: RequestEntry[] = [];
            let cursor: string | null = null;
            do {
              const page: Data<RequestEntry> = await scene.succeed(scene.administrator, 'listRequests', {
                query: cursor === null ? query : `${query}&cursor=${cursor}`,
              });
              read.push(...page.data);
              cursor = page.nextCursor;
              // Nobody sees it in this period.
              await insertRequestRecords(database, [late(scene)]);
            } while (cursor !== null);
            const compare = (one: RequestEntry, two: RequestEntry): number => {
              const [a, b] = [valueOf(one), valueOf(two)];
              const byValue = a < b ? -1 : a > b ? 1 : 0;
              return byValue !== 0 ? byValue : one.requestId < two.requestId ? -1 : 1;
            };
            const ascending = expected(search).toSorted(compare);
            const want = sort.startsWith('-') ? ascending.toReversed() : ascending;
            assert.deepEqual(
              read.map(({ requestId }) => requestId),
              want.map(({ requestId }) => requestId),
              `${sort} ${search}`,
            );
          }
        }
      }
    });

    test('takes no cursor of another order, and none that is made up', async () => {
      const { nextCursor } = await scene.succeed<Data<RequestEntry>>(scene.administrator, 'listRequests', {
        query: `limit=2&${period}&sort=-durationMs`,
      });
      const forged = (text: string): string => Buffer.from(`1:${text}`, 'latin1').toString('base64url');
      const { requestId = '' } = entries[0] ?? {};
      assert.ok(isId('request', requestId));
      for (const query of [
        `cursor=${nextCursor}`,
        `cursor=${nextCursor}&sort=durationMs`,
        `cursor=${nextCursor}&sort=status`,
        `sort=-durationMs&cursor=${forged(requestId)}`,
        `sort=-durationMs&cursor=${forged(`${requestId} -durationMs 1;drop`)}`,
        `sort=-durationMs&cursor=${forged(`${requestId} -durationMs ${'9'.repeat(30)}`)}`,
        `sort=status&cursor=${forged(`${requestId} status `)}`,
        `sort=url&cursor=${forged(`${requestId} url %00`)}`,
        `sort=url&cursor=${forged(`${requestId} url %E0%A4%A`)}`,
        `sort=url&cursor=${forged(`${requestId} url a b`)}`,
        `sort=url&cursor=${forged(`nothing url a`)}`,
      ])
        await scene.refused(scene.administrator, 'listRequests', { query }, 'cursor_invalid');
    });

    test('finds nothing of another account, by any text or parameter', async () => {
      const foreign = await scene.succeed<Data<RequestEntry>>(stranger, 'listRequests', {
        query: queryOf(''),
      });
      assert.equal(foreign.data.length, rowCount);
      const { requestId = '', clientId = '' } = foreign.data[0] ?? {};
      for (const search of [requestId, clientId, `client:${clientId}`, 'Administrator', `id:${requestId}`]) {
        const data = await found(search);
        assert.ok(
          data.every((entry) => entry.accountId === scene.accountId && entry.clientId !== clientId),
          search,
        );
        assert.equal((await totals(search)).count, data.length);
      }
      assert.deepEqual(await found('', `&clientId=${clientId}`), []);
      for (const operation of ['listRequests', 'getRequestTotals'] as const)
        await scene.refused(
          scene.administrator,
          operation,
          { query: `accountId=${stranger.accountId}` },
          'not_found',
        );
    });

    test('lets viewers search, and nobody without the permission', async () => {
      const viewer = await scene.addPerson({ role: 'viewer' });
      const query = queryOf('/v1/payments 401');
      const { data } = await scene.succeed<Data<RequestEntry>>(viewer, 'listRequests', { query });
      assert.deepEqual(data, await found('/v1/payments 401'));
      const caller = await scene.addCaller(['payments-reader']);
      for (const operation of ['listRequests', 'getRequestTotals'] as const)
        await scene.refused(caller, operation, {}, 'permission_denied');
    });

    test('looks at a limited number of requests at a time, and goes on where it stopped', async () => {
      const database = await scene.database();
      const busy = await scene.addAccount();
      const startMs = scene.nowMs() - 15 * dayMs;
      const count = 20_300;
      const row = (index: number): RequestRow => ({
        ...late(scene),
        request_id: newId('request', startMs + index),
        received_at_ms: startMs + index,
        account_id: busy.accountId,
        client_id: busy.clientId,
        url: index < 3 ? '/v1/rare' : '/v1/common',
        duration_us: index,
      });
      for (let first = 0; first < count; first += 300)
        await insertRequestRecords(
          database,
          Array.from({ length: Math.min(300, count - first) }, (_, index) => row(first + index)),
        );
      const read = async (query: string): Promise<{ pages: number; entries: RequestEntry[] }> => {
        const all: RequestEntry[] = [];
        let cursor: string | null = null;
        let pages = 0;
        do {
          const page: Data<RequestEntry> = await scene.succeed(busy, 'listRequests', {
            query: `${period}&limit=100&${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
          });
          all.push(...page.data);
          cursor = page.nextCursor;
          pages += 1;
        } while (cursor !== null && all.length < 100);
        return { pages, entries: all };
      };
      for (const query of ['search=%2Fv1%2Frare', 'search=path:rare', 'search=path:rare&sort=-durationMs']) {
        const { pages, entries: rare } = await read(query);
        assert.equal(rare.length, 3, query);
        assert.equal(pages, 1, query);
      }
      // These are the last, or the first, that are scanned.
      const { accountId } = busy;
      const toMs = scene.nowMs() - 10 * dayMs;
      const criteria = { accountId, toMs, conditions: [{ kind: 'path', text: 'rare' }] as const };
      for (const sort of ['-receivedAt', 'receivedAt'] as const) {
        const options = { sort, limit: 2, scannedMax: 5000 };
        const ids: string[] = [];
        let pages = 0;
        for (let mark: RequestMark | undefined; pages === 0 || mark !== undefined; pages += 1) {
          const page = await listRequestRecords(database, criteria, { ...options, after: mark });
          ids.push(...page.entries.map(({ requestId }) => requestId));
          mark = page.next;
        }
        assert.equal(new Set(ids).size, 3, sort);
        assert.ok(pages >= 5, sort);
      }
      const newest = { sort: 'durationMs', limit: 2, scannedMax: 5000 } as const;
      assert.deepEqual((await listRequestRecords(database, criteria, newest)).entries, []);
      const { entries: sorted } = await listRequestRecords(database, { accountId, toMs }, newest);
      assert.deepEqual(
        sorted.map(({ durationMs }) => durationMs),
        [15_300, 15_301].map((microseconds) => microseconds / 1000),
      );
      assert.equal((await read('search=%2Fv1%2Fcommon')).entries.length, 100);
      const sums = await scene.succeed<RequestTotals>(busy, 'getRequestTotals', {
        query: `${period}&search=path:rare`,
      });
      assert.deepEqual(sums, { count: 3, accepted: 3, observed: 0, refused: 0, isComplete: true });
    });
  });
}

/** An accepted request of today. */
function late(scene: ManagementScene): RequestRow {
  return {
    request_id: newId('request', scene.nowMs()),
    received_at_ms: scene.nowMs(),
    account_id: scene.accountId,
    client_id: scene.administrator.clientId,
    is_proved: 1,
    outcome: 'accepted',
    is_observed: 0,
    reason: null,
    method: 'GET',
    url: '/v1/whoami',
    status: 200,
    source_address: '198.51.100.1',
    key_fingerprint: null,
    clock_difference_seconds: null,
    duration_us: 100,
  };
}

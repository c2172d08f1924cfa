import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '@countersign/contract';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { waitUntil } from '@countersign/testing/wait-until';
import { pino } from 'pino';
import type { RequestHead } from '@countersign/gate';
import { sessionCookie } from '../../src/people/sessions/session-cookie.ts';
import { admitPerson, isAdmittedAt, isOfPerson } from '../../src/people/sessions/admit-person.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { ApiMatch } from '../../src/api/api.ts';
import { managementScene, type ManagementScene, type Person } from '../management/scene.ts';

const matchOf = (id: keyof typeof operations): ApiMatch => ({
  operation: operations[id],
  parameters: {},
  handler: () => assert.fail('it was called'),
});
const requestWith = (...rawHeaders: readonly string[]): Pick<RequestHead, 'rawHeaders'> => ({ rawHeaders });
const cookie = ['Cookie', `${sessionCookie}=token`];
const account = ['Countersign-Account', `account_${'0'.repeat(26)}`];

describe('whose request it is', () => {
  test('whoever signs is a client, whatever else comes along', () => {
    for (const field of ['Signature', 'signature', 'Signature-Input', 'SIGNATURE-INPUT'])
      assert.equal(isOfPerson(requestWith(field, '', ...cookie, ...account), matchOf('listClients')), false);
  });

  test('what only clients can call is never that of a person', () => {
    for (const id of ['getWhoami', 'testSignatureByPost', 'createPayment'] as const)
      assert.equal(isOfPerson(requestWith(...cookie, ...account), matchOf(id)), false);
  });

  test('a session or the name of an account is that of a person, also where nothing is', () => {
    const match = matchOf('listClients');
    assert.equal(isOfPerson(requestWith(...cookie), match), true);
    assert.equal(isOfPerson(requestWith(...account), match), true);
    assert.equal(isOfPerson(requestWith(...account), { problem: 'not_found' }), true);
    assert.equal(isOfPerson(requestWith('Cookie', 'other=1'), match), false);
    assert.equal(isOfPerson(requestWith(), match), false);
  });
});

describe('when the sessions cannot be read', () => {
  const head: RequestHead = {
    requestId: 'request_1',
    method: 'GET',
    targetUri: 'https://api.example.test/v1/clients',
    target: '/v1/clients',
    path: '/v1/clients',
    query: '',
    hasBody: false,
    contentLength: 0,
    rawHeaders: [...cookie, ...account],
    source: { address: undefined, text: '' },
    receivedAtMs: 0,
  };
  const match = matchOf('listClients');
  const failing = (error: Error): Parameters<typeof admitPerson>[2] => ({
    people: { findSession: () => Promise.reject(error), doOperatorsNeedSecondFactor: true },
    database: undefined as never,
    ownOrigins: new Set(['https://api.example.test']),
  });

  test('nobody is let in, and it is told as an outage', async () => {
    const parts = failing(new StorageError('unavailable', 'Away.'));
    const decision = await admitPerson(head, match, parts);
    assert.ok(!decision.ok);
    assert.equal(decision.code, 'storage_unavailable');
    assert.equal(decision.retryAfterSeconds, 1);
    assert.equal(await isAdmittedAt(head, match, parts, 1), false);
  });

  test('a mistake of ours lets nobody in either', async () => {
    const parts = failing(new Error('secret'));
    await assert.rejects(admitPerson(head, match, parts), /secret/);
    assert.equal(await isAdmittedAt(head, match, parts, 1), false);
  });
});

describe('what people do', () => {
  let scene: ManagementScene;
  let viewer: Person;
  const lines: Record<string, unknown>[] = [];
  before(async () => {
    const logger = pino(
      {},
      { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    );
    scene = await managementScene(sqlite, {
      logger,
      settings: {
        COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '3',
        COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '60',
        COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '5',
      },
    });
    viewer = await scene.addPerson({ role: 'viewer' });
  });
  after(() => scene.close());

  test('is logged with person and account, without the cookie, and kept as no request of a client', async () => {
    await scene.succeed(viewer, 'listClients');
    await scene.refused(
      viewer,
      'addRole',
      { body: { name: 'x', permissions: ['keys:read'] } },
      'permission_denied',
    );
    // Requests are logged and kept in order, so when this one of a client is, the others would be.
    await scene.succeed(scene.administrator, 'listPermissions');
    const database = await scene.database();
    const kept = async (): Promise<string[]> =>
      (await database.selectFrom('request_records').select('url').execute()).map(({ url }) => url);
    await waitUntil(async () => (await kept()).includes('/v1/permissions'), kept);
    const own = lines.filter(({ path }) => path === '/v1/clients' || path === '/v1/roles');
    assert.deepEqual(
      own.map(({ outcome, userId, accountId, clientId }) => [outcome, userId, accountId, clientId]),
      [
        ['accepted', viewer.userId, scene.accountId, undefined],
        ['permission_denied', viewer.userId, undefined, undefined],
      ],
    );
    assert.equal(JSON.stringify(lines).includes(viewer.cookie.split('=')[1]!), false);
    assert.deepEqual(await kept(), ['/v1/permissions']);
  });

  test('is limited as what a client does, for each person', async () => {
    const other = await scene.addPerson({ role: 'viewer' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => scene.call(other, 'listRoles')));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0 && refused.every((answer) => answer.json()['code'] === 'rate_limited'));
    assert.ok(Number(refused[0]!.headers['retry-after']) > 0);
    await scene.succeed(await scene.addPerson({ role: 'viewer' }), 'listRoles');
  });

  test('guesses of sessions end in the limit on failures', async () => {
    const guess = { ...viewer, cookie: `${viewer.cookie}x` };
    const codes: unknown[] = [];
    for (let count = 0; count < 5; count += 1)
      codes.push((await scene.call(guess, 'listRoles')).json()['code']);
    assert.deepEqual(codes.slice(0, 3), ['session_required', 'session_required', 'session_required']);
    assert.equal(codes.at(-1), 'too_many_failures');
  });
});

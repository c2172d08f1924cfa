import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OperationId, operations, operationSchemas } from '@countersign/contract';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { callOf, makeThings, type Things } from '../management/every-operation.ts';
import { headersOf, stateOf } from '../management/persons.ts';
import { managementScene, type ManagementScene, type Person } from '../management/scene.ts';

/*
 * Another site sends requests with the session of a person who may do everything: by forms, images, fetch
 * with and without CORS, from a neighbouring subdomain, and through an old browser that sends no origin.
 */

const forPeople = (Object.keys(operations) as OperationId[]).filter(
  (id) => operations[id].callers !== 'clients',
);
const changing = forPeople.filter((id) => operations[id].method !== 'GET');
const origin = new URL(baseUrl).origin;

/** The headers a browser adds, by attack. `undefined` removes a header. */
const attacks: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  'without our header': { 'Countersign-CSRF': undefined },
  'with another value of our header': { 'Countersign-CSRF': '0' },
  'without an origin': { Origin: undefined },
  'from a page without an origin': { Origin: 'null' },
  'from another site': { Origin: 'https://evil.example' },
  'from another site, named as ours is': { Origin: 'https://api.example.test.evil.example' },
  'from the same host without encryption': { Origin: 'http://api.example.test' },
  'from another port': { Origin: `${origin}:8443` },
  'from a neighbour of the same domain': { 'Sec-Fetch-Site': 'same-site' },
  'as the browser tells it': { 'Sec-Fetch-Site': 'cross-site' },
  'by typing the address': { 'Sec-Fetch-Site': 'none' },
  'by a form': {
    'Sec-Fetch-Site': 'cross-site',
    Origin: 'https://evil.example',
    'Countersign-CSRF': undefined,
    'Content-Type': 'text/plain',
  },
};

describe('requests that another site sends with the session of somebody', () => {
  let scene: ManagementScene;
  let things: Things;
  /** May do everything in both accounts. */
  let owner: Person;
  let operator: Person;
  before(async () => {
    scene = await managementScene(sqlite, {
      settings: { COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '1000000' },
    });
    things = await makeThings(scene, scene.administrator);
    owner = await scene.addPerson({ role: 'owner' });
    const { accountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
    operator = await scene.addPerson({ accountId, role: 'operator' });
  });
  after(() => scene.close());

  const victimOf = (id: OperationId): Person =>
    operations[id].permission?.startsWith('accounts:') === true ? operator : owner;

  const send = (
    id: OperationId,
    change: Readonly<Record<string, string | undefined>>,
    options: { readonly method?: string; readonly body?: string | undefined } = {},
  ): Promise<Answer> => {
    const { method, path } = { ...operations[id], ...options };
    const call = callOf(scene, id, things);
    const values = call.path ?? {};
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]!));
    const good = call.body === undefined ? undefined : JSON.stringify(call.body);
    const body = 'body' in options ? options.body : good;
    const headers: Record<string, string | undefined> = {
      ...headersOf(victimOf(id), method),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...call.headers,
      ...change,
    };
    const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const stream = id === 'streamEvents' ? `?account=${victimOf(id).accountId}` : '';
    return scene.running.send({ method, url: `${url}${stream}`, headers: Object.fromEntries(sent), body });
  };

  const unchanged = async (work: () => Promise<void>): Promise<void> => {
    const database = await scene.database();
    const atFirst = await stateOf(database);
    await work();
    assert.equal(await stateOf(database), atFirst, 'something was changed');
  };

  for (const id of changing) {
    test(`${id} is not done`, () =>
      unchanged(async () => {
        for (const [name, change] of Object.entries(attacks)) {
          const answer = await send(id, change);
          assert.equal(answer.json()['code'], 'cross_site_request', `${name}: ${answer.text}`);
          assert.equal(answer.status, 403);
          assertUnreadable(answer);
        }
      }));

    test(`${id} takes no body but JSON`, () =>
      unchanged(async () => {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=b',
        ]) {
          const answer = await send(id, { 'Content-Type': type }, { body: '{"name":"a=b"}' });
          const code = operationSchemas[id].body ? 'content_type_unsupported' : 'body_invalid';
          assert.equal(answer.json()['code'], code, answer.text);
        }
      }));
  }

  test('nothing is read across sites', async () => {
    for (const id of forPeople.filter((one) => operations[one].method === 'GET')) {
      for (const change of [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
      ]) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await send(id, change, { method });
          assert.equal(answer.status, 403, `${id} ${method}`);
          if (method === 'GET') assert.equal(answer.json()['code'], 'cross_site_request');
          assertUnreadable(answer);
        }
      }
    }
  });

  test('no other method does what a change does', () =>
    unchanged(async () => {
      for (const method of ['OPTIONS', 'TRACE', 'PROPFIND', 'HEAD']) {
        const answer = await send('addClient', {}, { method, body: undefined });
        assertUnreadable(answer);
      }
      // A browser asks so before it sends what a form cannot: nothing allows it.
      const preflight = await scene.running.send({
        method: 'OPTIONS',
        url: '/v1/clients',
        headers: {
          Origin: 'https://evil.example',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'countersign-csrf,content-type',
        },
      });
      assert.ok(preflight.status >= 400);
      assertUnreadable(preflight);
    }));

  test('the pages of the service itself do all that', async () => {
    for (const id of ['listClients', 'inspectKey', 'addRole'] as const) {
      const answer = await send(id, {});
      assert.ok(answer.status < 300, answer.text);
      assertUnreadable(answer);
    }
    // An old browser sends neither site nor, for reads, an origin.
    const old = await send(
      'addRole',
      { 'Sec-Fetch-Site': undefined },
      {
        body: JSON.stringify({ name: 'old', permissions: ['payments:read'] }),
      },
    );
    assert.equal(old.status, 201, old.text);
  });
});

/** No answer can be read by another site's page. */
function assertUnreadable({ headers }: Answer): void {
  for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control-/);
}

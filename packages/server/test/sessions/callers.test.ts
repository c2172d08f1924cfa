import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  builtInRoles,
  type MemberRole,
  memberRoles,
  type OperationId,
  operations,
  type Permission,
} from '@countersign/contract';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { callOf, makeThings, type Things } from '../management/every-operation.ts';
import { stateOf } from '../management/persons.ts';
import { type Caller, managementScene, type ManagementScene, type Person } from '../management/scene.ts';
import { mayCall, roleLetters } from './role-table.ts';

/*
 * Every operation × everybody who could call it. The contract's tables decide who may; role-table.ts repeats it by hand. The
 * service has to agree with both.
 */

const everyOperation = Object.keys(operations) as OperationId[];

/** What the contract's tables say about a role. */
function isPermitted(id: OperationId, held: readonly Permission[]): boolean {
  const { permission, callers } = operations[id];
  return callers !== 'clients' && (permission === undefined || held.includes(permission));
}

test('the tables of the contract say what was written by hand', () => {
  assert.deepEqual(Object.keys(mayCall).toSorted(), everyOperation.toSorted());
  for (const id of everyOperation) {
    const { permission, callers } = operations[id];
    const people = Object.entries(roleLetters)
      .filter(([, role]) => isPermitted(id, memberRoles[role].permissions))
      .map(([letter]) => letter);
    const { permissions } = builtInRoles.administrator;
    const isForAdministrator =
      callers !== 'people' && permission !== undefined && permissions.includes(permission);
    const clients =
      callers !== 'people' && permission === undefined ? ['*'] : isForAdministrator ? ['c'] : [];
    assert.equal([...people, ...clients].join(''), mayCall[id], id);
  }
});

/** A caller, and how an operation answers them. */
interface Kind {
  readonly name: string;
  readonly send: (id: OperationId) => Promise<Answer>;
  /** The refusal's code; undefined where the operation is permitted. */
  readonly refusal: (id: OperationId) => string | undefined;
}

describe('every operation for everybody', () => {
  let scene: ManagementScene;
  let kinds: readonly Kind[];
  before(async () => {
    scene = await managementScene(sqlite, {
      settings: {
        COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1000000',
        COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '1000000',
      },
    });
    kinds = await everybody(scene);
  });
  after(() => scene.close());

  for (const id of everyOperation) {
    test(`${id}: ${mayCall[id]}, and nobody else`, async () => {
      const refused = kinds.filter((kind) => kind.refusal(id) !== undefined);
      const database = await scene.database();
      const atFirst = await stateOf(database);
      for (const { name, send, refusal } of refused) {
        const answer = await send(id);
        assert.ok([401, 403, 404].includes(answer.status), `${name}: ${answer.status} ${answer.text}`);
        assert.equal(answer.json()['code'], refusal(id), `${name}: ${answer.text}`);
      }
      assert.equal(await stateOf(database), atFirst, 'something was changed');
      for (const { name, send } of kinds.filter((kind) => !refused.includes(kind))) {
        const answer = await send(id);
        const isThere = answer.status !== 404 || operations[id].path.includes('{') || id === 'endActing';
        assert.ok(![401, 403].includes(answer.status) && isThere, `${name}: ${answer.status} ${answer.text}`);
      }
    });
  }
});

async function everybody(scene: ManagementScene): Promise<readonly Kind[]> {
  const { administrator, accountId } = scene;
  const things = await makeThings(scene, administrator);
  const { accountId: operatorAccountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
  const { accountId: otherAccountId } = await scene.addAccount();
  const owner = await scene.addPerson({ role: 'owner' });
  const ofOperator = (role: MemberRole): Promise<Person> =>
    scene.addPerson({ accountId: operatorAccountId, role });
  const manager = await ofOperator('account-manager');
  const operator = await ofOperator('operator');
  const acting = await ofOperator('account-manager');
  const body = { accountId, reason: 'To try every operation' };
  const { accountId: actingAccountId } = await scene.succeed<{ accountId: string }>(acting, 'startActing', {
    body,
  });

  const call = (who: Caller | Person, id: OperationId): Promise<Answer> => {
    const account = 'cookie' in who ? who.accountId : accountId;
    const stream = id === 'streamEvents' ? { query: `account=${account}` } : {};
    return scene.call(who, id, { ...callOf(scene, id, things), ...stream });
  };
  const member = (name: string, person: Person, role: MemberRole): Kind => ({
    name,
    send: (id) => call(person, id),
    refusal: (id) =>
      ofPerson(id, isPermitted(id, memberRoles[role].permissions) ? undefined : 'permission_denied'),
  });
  // Views belong to members: whoever acts for a while would leave theirs behind.
  const acts = member('an account manager who acts', { ...acting, accountId: actingAccountId }, 'admin');
  const outsider = (name: string, person: Person): Kind => ({
    name,
    send: (id) => call(person, id),
    refusal: (id) => ofPerson(id, 'not_found'),
  });
  const signer = (name: string, headers: Record<string, string>): Kind => ({
    name,
    send: (id) => {
      const options = callOf(scene, id, things);
      return scene.call(administrator, id, { ...options, headers: { ...options.headers, ...headers } });
    },
    refusal: (id) => (/[c*]/.test(mayCall[id]) ? undefined : 'permission_denied'),
  });
  return [
    { name: 'nobody', send: (id) => sendBare(scene, id, things, {}), refusal: () => 'signature_missing' },
    {
      name: 'somebody with a cookie that names no session',
      send: (id) =>
        sendBare(scene, id, things, { Cookie: `${owner.cookie}A`, 'Countersign-Account': accountId }),
      refusal: (id) => ofPerson(id, 'session_required'),
    },
    {
      name: 'somebody who names an account and has no cookie',
      send: (id) => sendBare(scene, id, things, { 'Countersign-Account': accountId }),
      refusal: (id) => ofPerson(id, 'session_required'),
    },
    member('the owner', owner, 'owner'),
    member('an admin', await scene.addPerson({ role: 'admin' }), 'admin'),
    member('a developer', await scene.addPerson({ role: 'developer' }), 'developer'),
    member('a viewer', await scene.addPerson({ role: 'viewer' }), 'viewer'),
    member('an account manager', manager, 'account-manager'),
    member('an operator', operator, 'operator'),
    member("a viewer of the operator's account", await ofOperator('viewer'), 'viewer'),
    outsider('an account manager who does not act', { ...manager, accountId }),
    outsider('an operator who does not act', { ...operator, accountId }),
    outsider('an account manager who acts for another account', { ...acting, accountId: otherAccountId }),
    { ...acts, refusal: (id) => (id === 'addSavedView' ? 'permission_denied' : acts.refusal(id)) },
    outsider('an owner of another account', {
      ...(await scene.addPerson({ accountId: otherAccountId, role: 'owner' })),
      accountId,
    }),
    outsider('an owner in the account of the operator', { ...owner, accountId: operatorAccountId }),
    outsider('somebody who belongs to nothing', await scene.addPerson()),
    signer('a client', {}),
    signer('a client with the cookie of an owner', {
      Cookie: owner.cookie,
      'Countersign-Account': accountId,
      'Countersign-CSRF': '1',
      Origin: new URL(baseUrl).origin,
    }),
  ];
}

/** Operations that no person can call are refused as unsigned. */
function ofPerson(id: OperationId, code: string | undefined): string | undefined {
  return operations[id].callers === 'clients' ? 'signature_missing' : code;
}

function sendBare(
  scene: ManagementScene,
  id: OperationId,
  things: Things,
  headers: Record<string, string>,
): Promise<Answer> {
  const { method, path } = operations[id];
  const { path: values = {}, body } = callOf(scene, id, things);
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]!));
  const text = body === undefined ? undefined : JSON.stringify(body);
  return scene.running.send({
    method,
    url,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: text,
  });
}

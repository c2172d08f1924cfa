import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OperationId, operations } from '@countersign/contract';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { callOf, makeThings, type Things } from '../management/every-operation.ts';
import { stateOf } from '../management/persons.ts';
import { managementScene, type ManagementScene, type Person } from '../management/scene.ts';

const needing = (Object.keys(operations) as OperationId[]).filter(
  (id) => operations[id].needsStepUp === true,
);

describe('who left the room is not asked for less', () => {
  let scene: ManagementScene;
  let things: Things;
  let owner: Person;
  let operator: Person;
  before(async () => {
    scene = await managementScene(sqlite);
    things = await makeThings(scene, scene.administrator);
    owner = await scene.addPerson({ role: 'owner' });
    const { accountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
    operator = await scene.addPerson({ accountId, role: 'operator', hasSecondFactor: true });
    scene.clock.aheadMs += 10 * 60_000;
  });
  after(() => scene.close());

  const callerOf = (id: OperationId): Person =>
    operations[id].permission?.startsWith('accounts:') === true ? operator : owner;

  for (const id of needing) {
    test(`${id} asks for a fresh proof, and does nothing without`, async () => {
      const database = await scene.database();
      const atFirst = await stateOf(database);
      const person = callerOf(id);
      const { answer } = await scene.refused(person, id, callOf(scene, id, things), 'step_up_required');
      assert.equal(await stateOf(database), atFirst, 'something was changed');
      // With what it can be given: a password is enough only where there is no second factor.
      const expected = person === operator ? /totp/ : /password/;
      assert.match(JSON.stringify(answer.json()['methods']), expected);
      const fresh = await scene.signIn(person, { hasSecondFactor: person === operator });
      const code = (await scene.call(fresh, id, callOf(scene, id, things))).json()['code'];
      assert.notEqual(code, 'step_up_required');
      assert.notEqual(code, 'permission_denied');
    });
  }

  test('a password alone is no fresh proof of somebody who has a second factor', async () => {
    const database = await scene.database();
    const session = await scene.signIn(operator, {
      hasSecondFactor: true,
      provedAtMs: scene.nowMs() - 660_000,
    });
    await database
      .updateTable('person_sessions')
      .set({ password_proved_at_ms: scene.nowMs() })
      .where('session_id', '=', session.sessionId)
      .execute();
    const body = { name: 'fresh', permissions: ['keys:read'] };
    const { answer } = await scene.refused(session, 'addRole', { body }, 'step_up_required');
    assert.equal(JSON.stringify(answer.json()['methods']).includes('password'), false);
  });

  test('a proof in one session is none in another', async () => {
    await scene.signIn(owner);
    const body = { name: 'other', permissions: ['keys:read'] };
    await scene.refused(owner, 'addRole', { body }, 'step_up_required');
  });

  test('looking, and ending what one has begun, ask for nothing', async () => {
    for (const id of ['listClients', 'listMembers', 'getSecurityPolicy', 'listAuditEvents'] as const)
      await scene.succeed(owner, id);
    await scene.refused(owner, 'endActing', {}, 'not_found');
  });
});

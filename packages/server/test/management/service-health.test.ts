import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartHealth, ServiceHealth, ServiceSetting } from '@countersign/contract';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { waitFor } from '@countersign/testing/wait-until';
import { settings as settingTable } from '../../src/configuration/settings.ts';
import type { ServiceOverrides } from '../../src/assembly/service.ts';
import { managementScene, type ManagementScene, type Person } from './scene.ts';

/* What the operator sees of the node: its parts, and the settings in force. */

async function open(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
  overrides: ServiceOverrides = {},
): Promise<{ scene: ManagementScene; operator: Person }> {
  const scene = await managementScene(sqlite, { settings, overrides });
  t.after(() => scene.close());
  const { accountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
  return { scene, operator: await scene.addPerson({ accountId, role: 'operator' }) };
}

async function partOf(scene: ManagementScene, operator: Person, name: string): Promise<PartHealth> {
  const { parts } = await scene.succeed<ServiceHealth>(operator, 'getServiceHealth');
  return parts.find((part) => part.name === name)!;
}

test('each part is measured by what really happens in it', async (t) => {
  const { scene, operator } = await open(t);
  const before = await partOf(scene, operator, 'guard');
  assert.deepEqual([before.count, before.p50Ms, before.state], [0, undefined, 'ok']);
  for (let index = 0; index < 30; index += 1)
    await scene.succeed(scene.administrator, 'listRoles', { query: `limit=${index + 1}` });
  const { parts } = await scene.succeed<ServiceHealth>(operator, 'getServiceHealth');
  const names = parts.map(({ name }) => name);
  const expected = ['requests', 'database', 'guard', 'requestLog', 'explainer', 'log', 'mail', 'threads'];
  assert.deepEqual(names, expected);
  for (const name of ['requests', 'database', 'guard']) {
    const part = parts.find((one) => one.name === name)!;
    assert.ok(part.count > 0 && part.p50Ms !== undefined && part.p99Ms! >= part.p50Ms, name);
  }
  assert.ok((await partOf(scene, operator, 'guard')).count >= 30);
});

test('a guard that cannot be asked is failing, and the reason says so', async (t) => {
  const { scene, operator } = await open(
    t,
    {},
    {
      wrapGuard: (guard) => ({
        async use(signature, nowSeconds) {
          await sleep(60);
          return guard.use(signature, nowSeconds);
        },
      }),
    },
  );
  for (let index = 0; index < 20; index += 1)
    await scene.succeed(scene.administrator, 'listRoles', { query: `limit=${index + 1}` });
  const { state, reason, p50Ms } = await partOf(scene, operator, 'guard');
  assert.equal(state, 'warning');
  assert.match(reason ?? '', /^1 in 100 takes longer than 50 ms\. Its store or its disk is slow\.$/);
  assert.ok(p50Ms! >= 50);
});

test('a full disk is told where it hurts', async (t) => {
  let free = 1e9;
  const { scene, operator } = await open(t, {}, { freeBytes: () => Promise.resolve(free) });
  assert.equal((await partOf(scene, operator, 'requestLog')).state, 'ok');
  free = 0;
  const reason = await waitFor(async () => {
    const part = await partOf(scene, operator, 'requestLog');
    return part.state === 'failing' ? (part.reason ?? '') : undefined;
  }, 'the request log is failing');
  assert.match(reason, /the disk of the data folder is full/);
});

test('every setting is listed with where it came from, and no secret is shown', async (t) => {
  const secret = 'p'.repeat(40);
  const { scene, operator } = await open(t, {
    COUNTERSIGN_PORTAL_SECRET: secret,
    COUNTERSIGN_MAIL_URL: 'smtp://user:mail-word-1@mail.example.com',
    COUNTERSIGN_MAIL_FROM: 'portal@example.com',
    COUNTERSIGN_OIDC_ISSUER: 'https://login.example.com',
    COUNTERSIGN_OIDC_CLIENT_ID: 'countersign',
    COUNTERSIGN_OIDC_CLIENT_SECRET: 'oidc-word-1',
  });
  const answer = await scene.call(operator, 'listServiceSettings');
  for (const hidden of [secret, 'mail-word-1', 'oidc-word-1'])
    assert.equal(answer.text.includes(hidden), false);
  const { data } = answer.json() as unknown as { data: ServiceSetting[] };
  assert.deepEqual(
    data.map(({ name }) => name),
    Object.keys(settingTable),
  );
  const of = (name: string): unknown[] => {
    const { value, source, environment } = data.find((one) => one.name === name)!;
    return [value, source, environment];
  };
  assert.deepEqual(of('portalSecret'), ['***', 'environment', 'COUNTERSIGN_PORTAL_SECRET']);
  assert.deepEqual(of('mailUrl'), [
    'smtp://user:***@mail.example.com',
    'environment',
    'COUNTERSIGN_MAIL_URL',
  ]);
  assert.deepEqual(of('createdMaxAgeSeconds'), ['300', 'default', 'COUNTERSIGN_CREATED_MAX_AGE_SECONDS']);
  const manager = await scene.addPerson({ accountId: operator.accountId, role: 'account-manager' });
  await scene.refused(manager, 'listServiceSettings', {}, 'permission_denied');
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { openProtectedApi } from '@countersign/testing/protected-api';
import { publishedKeyPair } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exits } from '../src/exits.ts';
import { type Ended, run } from './run.ts';

type Run = (...argv: string[]) => Promise<Ended>;

async function openScene(
  t: TestContext,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly webhooks: Run; readonly folder: string }> {
  const port = await freePort();
  const consoleUrl = `http://127.0.0.1:${port}`;
  const api = await openProtectedApi(t, {
    environment: { COUNTERSIGN_PORT: String(port), COUNTERSIGN_PUBLIC_BASE_URLS: consoleUrl },
    overrides: { webhooksEveryMs: 2 ** 31 - 1 },
  });
  const folder = temporaryFolder(t);
  const keyPair = publishedKeyPair('rsa-2048-b');
  const { clientId } = await api.running.addClient({ roles: ['administrator'], keyPair });
  writeFileSync(join(folder, 'admin.pem'), keyPair.privateKey, { mode: 0o600 });
  const credentials = { clientId, privateKeyFile: 'admin.pem', baseUrl: consoleUrl };
  writeFileSync(join(folder, 'admin.json'), JSON.stringify(credentials));
  const webhooks: Run = (...argv) =>
    run(['webhooks', ...argv, '--credentials', 'admin.json'], { folder, environment });
  return { webhooks, folder };
}

function json(ended: Ended): Record<string, unknown> {
  assert.equal(ended.code, 0, ended.errors + ended.out);
  return JSON.parse(ended.out) as Record<string, unknown>;
}

describe('countersign webhooks', () => {
  test('a webhook from its first day to its last', async (t) => {
    const { webhooks } = await openScene(t);
    const none = await webhooks('list');
    assert.match(none.errors, /no webhooks yet/);
    const url = 'https://hooks.example.com/countersign';
    const added = json(await webhooks('add', url, '--events', 'key.due,key.expired', '--paused', '--json'));
    const id = String(added['webhookId']);
    assert.deepEqual([added['eventTypes'], added['status']], [['key.due', 'key.expired'], 'paused']);
    assert.match(String(added['secret']), /^whsec_/);

    const listed = await webhooks('list');
    assert.match(listed.out, new RegExp(`^${id} +paused +- +2 +${url}$`, 'm'));
    const shown = await webhooks('show', id);
    assert.doesNotMatch(shown.out, /whsec_/);
    const changed = await webhooks(
      'update',
      id,
      '--events',
      'all',
      '--ordered',
      'yes',
      '--description',
      'Ours',
    );
    assert.match(changed.out, /types +all\n +ordered +yes/);

    const rotated = await webhooks('rotate-secret', id, '--overlap', '2h');
    assert.match(rotated.out, /secret +whsec_\S{44}\n +previous secret until +2/);
    assert.match(rotated.errors, /Store the secret/);
    assert.equal(json(await webhooks('resume', id, '--json'))['status'], 'active');
    assert.equal(json(await webhooks('pause', id, '--json'))['status'], 'paused');

    const delivery = String(json(await webhooks('test', id, '--json'))['deliveryId']);
    const deliveries = await webhooks('deliveries', id, '--state', 'waiting');
    assert.match(deliveries.out, new RegExp(`^${delivery} +waiting +0 +webhook\\.test`, 'm'));
    assert.match((await webhooks('deliveries', id, delivery)).out, /state +waiting/);
    assert.match((await webhooks('resend', id, delivery)).out, /queued again/);
    assert.match((await webhooks('recover', id, '--since', '24h')).out, /^0 deliveries are queued again\.$/m);
    const all = ['--since', '2h', '--until', '1h', '--include', 'all', '--events', 'key.due,key.expired'];
    assert.equal(json(await webhooks('recover', id, ...all, '--json'))['recovered'], 0);

    const unsure = await webhooks('delete', id);
    assert.deepEqual([unsure.code, /--yes/.test(unsure.errors)], [exits.usage.code, true]);
    assert.equal(json(await webhooks('delete', id, '--yes', '--json'))['webhookId'], id);
    const gone = await webhooks('show', id);
    assert.equal(gone.code, exits.refused.code);
  });

  test('lists the types of events, and shows one', async (t) => {
    const { webhooks } = await openScene(t);
    assert.match((await webhooks('types')).out, /^key\.due +keys:read +A key should be rotated/m);
    const one = json(await webhooks('types', 'key.due', '--json'));
    assert.equal((one['example'] as { type: string }).type, 'key.due');
    assert.match((await webhooks('types', 'key.due')).out, /Schema\n\{/);
    const unknown = await webhooks('types', 'key.lost');
    assert.deepEqual(
      [unknown.code, /no type of events "key\.lost"/.test(unknown.errors)],
      [exits.usage.code, true],
    );
  });

  test('what cannot be right is rejected before anything is sent', async (t) => {
    const folder = temporaryFolder(t);
    for (const [argv, reason] of [
      [['rotate-secret', 'webhook_1', '--overlap', '8d'], /at most 7d/],
      [['update', 'webhook_1'], /Nothing to change/],
      [['update', 'webhook_1', '--ordered', 'maybe'], /must be yes or no/],
      [['update', 'webhook_1', '--max-per-minute', '6001'], /from 1 to 6000, or none/],
      [['add', 'https://hooks.example.com', '--max-per-minute', '1.5'], /from 1 to 6000, or none/],
      [['add', 'https://hooks.example.com', '--header', 'x-key'], /Write --header as 'Name: value'/],
      [['update', 'webhook_1', '--header', ': value'], /Write --header as 'Name: value'/],
      [['update', 'webhook_1', '--header-env', 'x-key: NOT_SET'], /NOT_SET of --header-env is not set/],
      [['update', 'webhook_1', '--header', 'x-key: a', '--header', 'X-Key: b'], /gives x-key a second time/],
      [['recover', 'webhook_1'], /--since/],
      [['recover', 'webhook_1', '--since', 'yesterday'], /--since must be/],
      [['recover', 'webhook_1', '--since', '2h', '--until', 'today'], /--until must be/],
      [['recover', 'webhook_1', '--since', '2h', '--include', 'delivered'], /--include must be/],
    ] as const) {
      const { code, errors } = await run(['webhooks', ...argv], { folder });
      assert.equal(code, exits.usage.code, argv.join(' '));
      assert.match(errors, reason);
    }
  });

  test('custom headers come from files and the environment too, and are never shown', async (t) => {
    const { webhooks, folder } = await openScene(t, { GATEWAY_KEY: 'key-of-the-gateway' });
    writeFileSync(join(folder, 'tenant.txt'), 'northwind-tenant\n');
    const url = 'https://hooks.example.com/countersign';
    const added = await webhooks(
      'add',
      url,
      '--header',
      'X-Plain: visible-value',
      '--header-file',
      'X-Tenant: tenant.txt',
      '--header-env',
      'x-api-key: GATEWAY_KEY',
      '--max-per-minute',
      '60',
    );
    assert.match(added.out, /custom headers +x-api-key, x-plain, x-tenant\n +attempts per minute +60\n/);
    const id = /webhookId +(\S+)/.exec(added.out)?.[1] ?? '';
    const changed = await webhooks('update', id, '--remove-header', 'X-Plain', '--max-per-minute', 'none');
    assert.match(changed.out, /custom headers +x-api-key, x-tenant\n/);
    assert.doesNotMatch(changed.out, /per minute/);
    const shown = await webhooks('show', id, '--json');
    const all = [added, changed, shown].map(({ out, errors }) => out + errors).join('');
    assert.doesNotMatch(all, /visible-value|northwind-tenant|key-of-the-gateway/);
    const moved = json(await webhooks('update', id, '--url', 'https://other.example.com/', '--json'));
    assert.deepEqual([moved['headerNames'], moved['attemptsPerMinuteMax']], [[], null]);
    const rejected = await webhooks('update', id, '--header', 'Host: internal-name');
    assert.equal(rejected.code, exits.refused.code);
    assert.match(rejected.errors, /Leave this header out/);
    assert.doesNotMatch(rejected.errors, /internal-name/);
  });

  test('what the service rejects is explained, and exits with 1', async (t) => {
    const { webhooks } = await openScene(t);
    const inner = await webhooks('add', 'https://127.0.0.1/hook');
    assert.equal(inner.code, exits.refused.code);
    assert.match(inner.errors, /Use a host name/);
  });
});

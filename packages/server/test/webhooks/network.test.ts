import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { type WebhookScene, webhookScene } from './scene.ts';

const [backend] = backends;

describe('where webhooks can lead', { skip: backend?.skip }, () => {
  let on: WebhookScene;
  let addresses: readonly string[] = [];
  const resolved: string[] = [];
  const opened: string[] = [];
  before(async () => {
    on = await webhookScene(backend!, {
      overrides: {
        webhooksEveryMs: 2 ** 31 - 1,
        webhooks: {
          means: {
            resolve: async (hostname) => {
              resolved.push(hostname);
              return addresses;
            },
            openSocket: ({ address, port }) => {
              opened.push(`${address}:${port}`);
              // Nothing listens there.
              return connect(1, '127.0.0.1');
            },
          },
        },
      },
    });
  });
  after(() => on.close());
  beforeEach(async () => {
    const database = await on.scene.database();
    await database.deleteFrom('webhooks').execute();
    resolved.length = 0;
    opened.length = 0;
  });

  test('a URL that is not https, names a port, an address or an internal host is rejected', async () => {
    for (const url of [
      'http://hooks.example.com/',
      'https://hooks.example.com:8443/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://localhost/',
      'https://metadata.internal/',
      'https://user@hooks.example.com/',
      'https://hooks.example.com/#top',
      'https://HOOKS.example.com/',
      'ftp://hooks.example.com/',
      'nothing',
      // The trusted origin has another port.
      'http://127.0.0.1:1/',
    ]) {
      const call = { body: { url } };
      const { errors } = await on.scene.refused(on.scene.administrator, 'addWebhook', call, 'body_invalid');
      assert.deepEqual(
        errors.map(({ pointer }) => pointer),
        ['/url'],
        url,
      );
    }
  });

  test('a public name with a private address is never connected to, even if only one of several is private', async () => {
    const webhook = await on.add({ url: 'https://hooks.example.com/' });
    const path = { webhookId: webhook.webhookId };
    for (const found of [
      ['10.0.0.1'],
      ['127.0.0.1'],
      ['169.254.169.254'],
      ['93.184.216.34', '192.168.0.1'],
      ['::ffff:10.0.0.1'],
      ['fd00::1'],
      [],
    ]) {
      addresses = found;
      await on.scene.succeed(on.scene.administrator, 'testWebhook', { path });
      await on.deliver();
      const { attempts } = await on.details(webhook);
      assert.equal(attempts[0]?.failure, 'address_not_public');
      assert.match(attempts[0]?.problem ?? '', /does not resolve to public addresses alone/);
    }
    assert.deepEqual(opened, []);
  });

  test('a name is resolved once for an attempt, and again for the next: it may lead elsewhere by then', async () => {
    const webhook = await on.add({ url: 'https://changing.example.com/' });
    const path = { webhookId: webhook.webhookId };
    addresses = ['93.184.216.34'];
    await on.scene.succeed(on.scene.administrator, 'testWebhook', { path });
    await on.deliver();
    assert.deepEqual([resolved, opened], [['changing.example.com'], ['93.184.216.34:443']]);
    addresses = ['10.0.0.1'];
    await on.deliver(6000);
    assert.deepEqual(opened, ['93.184.216.34:443']);
    const { attempts } = await on.details(webhook);
    assert.deepEqual(
      attempts.map(({ problem }) => problem),
      ['The host name does not resolve to public addresses alone.', 'The server cannot be reached.'],
    );
  });
});

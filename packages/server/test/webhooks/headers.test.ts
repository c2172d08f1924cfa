import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Webhook, WebhookChange, WebhookDeliveryDetails } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { Database } from '../../src/storage/transaction.ts';
import { openWebhookSecrets } from '../../src/webhooks/webhook-secrets.ts';
import { answerWith } from './receiver.ts';
import { type WebhookScene, webhookScene } from './scene.ts';
import { assertStandardWebhook, verifyAsReceiver } from './verify-event.ts';

/** What the service sends itself is found by a test. These decide about framing and forwarding, or are about signatures. */
const reserved = [
  'connection',
  'Content-Encoding',
  'content-length',
  'date',
  'expect',
  'host',
  'Keep-Alive',
  'proxy-authorization',
  'proxy-anything',
  'signature',
  'signature-agent',
  'signature-input',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'webhook-anything',
];

for (const backend of backends) {
  describe(`custom headers of webhooks on ${backend.name}`, { skip: backend.skip }, () => {
    const logged: string[] = [];
    let on: WebhookScene;
    before(async () => {
      on = await webhookScene(backend, {
        settings: { COUNTERSIGN_WEBHOOK_SECRET: 's'.repeat(32) },
        logger: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
      });
    });
    after(() => on.close());
    afterEach(async () => {
      const database = await on.scene.database();
      await database.deleteFrom('webhooks').execute();
      on.receiver.received.length = 0;
      on.receiver.answer = answerWith(204);
    });

    const refusal = async (headers: unknown): Promise<{ pointer: string; detail: string } | undefined> => {
      const body = { url: `${on.receiver.origin}/hook`, headers };
      const { errors } = await on.scene.refused(
        on.scene.administrator,
        'addWebhook',
        { body },
        'body_invalid',
      );
      return errors[0];
    };
    const update = ({ webhookId }: Webhook, body: WebhookChange): Promise<Webhook> =>
      on.scene.succeed<Webhook>(on.scene.administrator, 'updateWebhook', {
        path: { webhookId },
        headers: { 'If-Match': '*' },
        body,
      });
    /** The header fields with which the next event arrives. */
    const sent = async (): Promise<Readonly<Record<string, string>>> => {
      on.receiver.received.length = 0;
      await on.addClient();
      await on.deliver();
      return on.receiver.received[0]?.headers ?? {};
    };

    test('a name that the service or HTTP uses is rejected, and so is each that the service sends', async () => {
      await on.add();
      const own = Object.keys(await sent());
      assert.ok(own.length >= 10);
      for (const name of [...reserved, ...own]) {
        const { pointer, detail } = (await refusal({ [name]: 'value' })) ?? {};
        assert.equal(pointer, `/headers/${name}`);
        assert.match(detail ?? '', /the service or HTTP itself sets it/, name);
      }
    });

    test('what is no name of a header is rejected', async () => {
      for (const name of ['', 'x y', 'x:y', 'x\r\nhost', 'x\u0000', 'ä', '(x)', 'x'.repeat(65)])
        assert.match((await refusal({ [name]: 'value' }))?.detail ?? '', /Write the name of a header/, name);
      assert.equal((await refusal({ 'X-One': 'a', 'x-one': 'b' }))?.detail, 'Give each custom header once.');
    });

    test('a value that could begin another header is rejected, and so is one that is not text', async () => {
      const bad = [
        'a\r\nhost: b',
        'a\nb',
        'a\rb',
        'a\u0000',
        '',
        ' a',
        'a ',
        '\ta',
        'ä',
        '\u007f',
        'x'.repeat(1025),
      ];
      for (const value of [...bad, 1, null, ['a'], {}])
        assert.equal((await refusal({ 'x-key': value }))?.pointer, '/headers/x-key', JSON.stringify(value));
      for (const headers of ['x-key: a', ['x-key'], null])
        assert.equal((await refusal(headers))?.pointer, '/headers');
    });

    test('an eleventh header is rejected, also one that is added to ten', async () => {
      const named = (count: number): Record<string, string> =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'value']));
      assert.match((await refusal(named(11)))?.detail ?? '', /at most 10/);
      const webhook = await on.add({ headers: named(10) });
      const call = {
        path: { webhookId: webhook.webhookId },
        headers: { 'If-Match': '*' },
        body: { headers: { 'x-other': 'value' } },
      };
      const { errors } = await on.scene.refused(
        on.scene.administrator,
        'updateWebhook',
        call,
        'body_invalid',
      );
      assert.deepEqual([errors[0]?.pointer, /at most 10/.test(errors[0]?.detail ?? '')], ['/headers', true]);
      const changed = await update(webhook, { headers: { 'x-other': 'value', 'x-0': null } });
      assert.equal(changed.headerNames.length, 10);
    });

    test('they arrive with each event, and both signatures verify', async () => {
      const webhook = await on.add({
        headers: { 'X-API-Key': 'k3y\twith tab', authorization: 'Bearer t0ken' },
      });
      assert.deepEqual(webhook.headerNames, ['authorization', 'x-api-key']);
      const headers = await sent();
      assert.deepEqual([headers['x-api-key'], headers['authorization']], ['k3y\twith tab', 'Bearer t0ken']);
      const [event] = on.receiver.received;
      assert.ok(event);
      assertStandardWebhook(event, webhook.secret);
      const verified = await verifyAsReceiver(on, webhook.url, event);
      assert.equal(verified.ok, true, JSON.stringify(verified));
    });

    test('a change sets and removes what it names, and leaves the others', async () => {
      const webhook = await on.add({ headers: { 'x-one': 'first', 'x-two': 'second', 'x-three': 'third' } });
      const changed = await update(webhook, {
        headers: { 'X-One': 'other', 'x-two': null, 'x-missing': null },
      });
      assert.deepEqual(changed.headerNames, ['x-one', 'x-three']);
      const headers = await sent();
      assert.deepEqual(
        ['x-one', 'x-two', 'x-three'].map((name) => headers[name]),
        ['other', undefined, 'third'],
      );
      await update(webhook, { description: 'Nothing about headers', headers: {} });
      assert.equal((await sent())['x-one'], 'other');
    });

    test('a dry run stores nothing, and a repeated request adds nothing', async () => {
      const { administrator } = on.scene;
      const webhook = await on.add({ headers: { 'x-one': 'first' } });
      const dry = await update(webhook, { headers: { 'x-one': 'other', 'x-two': 'new' }, dryRun: true });
      assert.deepEqual(dry.headerNames, ['x-one', 'x-two']);
      const headers = await sent();
      assert.deepEqual([headers['x-one'], headers['x-two']], ['first', undefined]);
      const call = {
        headers: { 'Idempotency-Key': 'with-headers' },
        body: {
          url: `${on.receiver.origin}/again`,
          eventTypes: ['client.added'],
          headers: { 'x-one': 'first' },
        },
      };
      const one = await on.scene.succeed<Webhook>(administrator, 'addWebhook', call);
      assert.deepEqual(await on.scene.succeed<Webhook>(administrator, 'addWebhook', call), one);
      const other = { ...call, body: { ...call.body, headers: { 'x-one': 'other' } } };
      await on.scene.refused(administrator, 'addWebhook', other, 'idempotency_key_reused');
    });

    test('the stored hash of a repeated request tests no guess of a value; one from before the key was set is still valid', async () => {
      const { administrator } = on.scene;
      const call = {
        headers: { 'Idempotency-Key': 'with-a-value-to-guess' },
        body: { url: `${on.receiver.origin}/guessed`, headers: { 'x-pin': '4711' } },
      };
      const added = await on.scene.succeed<Webhook>(administrator, 'addWebhook', call);
      const database = await on.scene.database();
      const rows = await database.selectFrom('idempotency_keys').selectAll().execute();
      const row = rows.find(({ body }) => body.includes(added.webhookId));
      assert.ok(row);
      const guess = createHash('sha256').update(`POST /v1/webhooks?\n${JSON.stringify(call.body)}`);
      const plain = guess.digest('base64url');
      assert.equal(plain.length, row.fingerprint.length);
      assert.ok(rows.every(({ fingerprint }) => fingerprint !== plain));
      await sql`update idempotency_keys set fingerprint = ${plain} where record_id = ${row.record_id}`.execute(
        database,
      );
      assert.deepEqual(await on.scene.succeed<Webhook>(administrator, 'addWebhook', call), added);
      const other = { ...call, body: { ...call.body, headers: { 'x-pin': '4712' } } };
      await on.scene.refused(administrator, 'addWebhook', other, 'idempotency_key_reused');
    });

    test('at another origin nothing is sent of what the change does not give again', async () => {
      const webhook = await on.add({ headers: { 'x-one': 'first', 'x-two': 'second' } });
      const moved = await update(webhook, { url: `${on.receiver.origin}/moved` });
      assert.deepEqual(moved.headerNames, ['x-one', 'x-two']);
      assert.equal((await sent())['x-one'], 'first');
      // Another name of the same server.
      const url = `${on.receiver.origin.replace('127.0.0.1', 'localhost')}/hook`;
      const database = await on.scene.database();
      const elsewhere = async (body: WebhookChange): Promise<readonly [Webhook, string | null]> => {
        await database.updateTable('webhooks').set({ url }).execute();
        const changed = await update(webhook, body);
        const row = await database.selectFrom('webhooks').select('headers').executeTakeFirstOrThrow();
        return [changed, row.headers];
      };
      const [some] = await elsewhere({ url: moved.url, headers: { 'x-two': 'again' } });
      assert.deepEqual(some.headerNames, ['x-two']);
      const headers = await sent();
      assert.deepEqual([headers['x-one'], headers['x-two']], [undefined, 'again']);
      const [none, stored] = await elsewhere({ url: moved.url });
      assert.deepEqual([none.headerNames, stored], [[], null]);
      assert.equal((await sent())['x-two'], undefined);
    });

    test('a redirect to another server gets nothing', async () => {
      await on.add({ headers: { 'x-one': 'first' } });
      on.receiver.answer = answerWith(307, { Location: `${on.receiver.origin}/elsewhere` });
      await sent();
      assert.deepEqual(on.receiver.at('/elsewhere'), []);
    });

    test('one that was encrypted with another setting stops what is sent, until it is given again', async () => {
      const webhook = await on.add({ headers: { 'x-one': 'first' } });
      const database = await on.scene.database();
      const other = openWebhookSecrets('o'.repeat(32)).sealHeader(webhook.webhookId, 'x-one', 'first');
      await database
        .updateTable('webhooks')
        .set({ headers: JSON.stringify({ 'x-one': other }) })
        .execute();
      assert.deepEqual(await sent(), {});
      const { attempts } = await on.details(webhook);
      assert.equal(attempts[0]?.failure, 'secret_unreadable');
      await update(webhook, { headers: { 'x-one': 'second' } });
      await on.deliver(3_600_000);
      assert.equal(on.receiver.received[0]?.headers['x-one'], 'second');
    });

    test('values are stored for their webhook and name alone', async () => {
      const webhook = await on.add({ headers: { 'x-one': 'first', 'x-two': 'second' } });
      const database = await on.scene.database();
      const { headers } = await database.selectFrom('webhooks').select('headers').executeTakeFirstOrThrow();
      const stored = JSON.parse(headers ?? '') as Record<string, string>;
      const swapped = JSON.stringify({ 'x-one': stored['x-two'], 'x-two': stored['x-one'] });
      await database.updateTable('webhooks').set({ headers: swapped }).execute();
      assert.deepEqual(await sent(), {});
      assert.equal((await on.details(webhook)).attempts[0]?.failure, 'secret_unreadable');
    });

    test('the audit log and events name them, and say when one was given again', async () => {
      const watching = await on.add({ eventTypes: ['webhook.added', 'webhook.updated'] });
      const webhook = await on.add({ headers: { 'x-one': 'first', 'x-two': 'second' } });
      await update(webhook, { headers: { 'x-one': 'first', 'x-two': null } });
      await on.deliver();
      const changes = on.receiver.at(watching.path).map(({ body }) => {
        const { data } = JSON.parse(body) as { data: Record<string, Record<string, unknown>> };
        return [data['before']?.['headers'], data['after']?.['headers']];
      });
      const both = { 'x-one': 'set', 'x-two': 'set' };
      assert.deepEqual(
        new Set(changes.map((change) => JSON.stringify(change))),
        new Set(
          [
            [undefined, both],
            [both, { 'x-one': 'replaced' }],
          ].map((change) => JSON.stringify(change)),
        ),
      );
    });

    test('a value is in no response, attempt, event, log or table, in any form', async () => {
      const value = 'Bearer n0where-to-be-found';
      const webhook = await on.add({ eventTypes: null, headers: { authorization: value } });
      on.receiver.answer = (response, { headers }) =>
        answerWith(
          400,
          {},
          `Wrong key ${headers['authorization']}, or ${value.slice(7)}`,
        )(response, undefined!);
      await sent();
      await update(webhook, { headers: { 'x-other': value } });
      // The answer ends in the middle of the value.
      on.receiver.answer = answerWith(500, {}, 'x'.repeat(4080) + value);
      await on.deliver(3_600_000);
      await refusal({ authorization: value, 'x y': value });
      const { administrator } = on.scene;
      const path = { webhookId: webhook.webhookId };
      const texts = [...logged];
      for (const { deliveryId } of await on.deliveries(webhook)) {
        const call = { path: { ...path, deliveryId } };
        const details = await on.scene.succeed<WebhookDeliveryDetails>(
          administrator,
          'getWebhookDelivery',
          call,
        );
        texts.push(JSON.stringify(details));
        for (const { requestHeaders } of details.attempts)
          assert.equal(requestHeaders['authorization'], '(hidden)');
      }
      assert.match(texts.join('\n'), /Wrong key \(hidden\), or \(hidden\)/);
      texts.push(...(await textsOf(await on.scene.database())), ...filesIn(on.scene.running.dataFolder));
      for (const id of [
        'getWebhook',
        'listWebhooks',
        'listAuditEvents',
        'listRequests',
        'removeWebhook',
      ] as const) {
        const isOne = id === 'getWebhook' || id === 'removeWebhook';
        const { text } = await on.scene.call(
          administrator,
          id,
          isOne ? { path, headers: { 'If-Match': '*' } } : {},
        );
        texts.push(text);
      }
      const text = texts.join('\n');
      assert.ok(text.includes(webhook.webhookId));
      for (const form of [
        'n0where',
        Buffer.from(value).toString('base64').slice(0, 20),
        Buffer.from(value).toString('hex'),
      ])
        assert.equal(text.includes(form), false, form);
    });
  });
}

/** All rows of all tables. */
async function textsOf(database: Database): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const { name } of await database.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(database);
    texts.push(JSON.stringify(rows));
  }
  return texts;
}

function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return names.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

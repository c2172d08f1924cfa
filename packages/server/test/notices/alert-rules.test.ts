import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { AlertRule, Notice, WebhookEvent } from '@countersign/contract';
import { webhookData } from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { otherKeyPair } from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';
import { AlertRounds } from '../../src/notices/alerts/watch-rules.ts';
import type { Caller, Person } from '../management/scene.ts';
import { assertStandardWebhook } from '../webhooks/verify-event.ts';
import { type WebhookScene, webhookScene } from '../webhooks/scene.ts';
import { noticesOf } from './notices-scene.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const url = '/v1/whoami';

for (const backend of backends) {
  describe(`alert rules on ${backend.name}`, { skip: backend.skip }, () => {
    let on: WebhookScene;
    let owner: Person;
    let viewer: Person;
    before(async () => {
      on = await webhookScene(backend, {
        settings: {
          COUNTERSIGN_OWNER_IDLE_MINUTES: '720',
          COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '600',
        },
        // Rounds happen only when a test says so.
        overrides: { noticesEveryMs: 2 ** 31 - 1 },
      });
      owner = await on.scene.addPerson({ role: 'owner' });
      viewer = await on.scene.addPerson({ role: 'viewer' });
      rounds = new AlertRounds(await on.scene.database(), on.scene.nowMs() - dayMs);
    });
    after(() => on.close());
    afterEach(async () => {
      const database = await on.scene.database();
      await database.deleteFrom('alert_rules').execute();
      await database.deleteFrom('webhooks').execute();
      await database.deleteFrom('notices').execute();
      on.receiver.received.length = 0;
    });

    let rounds: AlertRounds;
    const running = new AbortController().signal;
    /** Looks at all rules, as a node does. */
    const look = async (by = rounds): Promise<void> =>
      by.run({ nowMs: on.scene.nowMs(), isMailed: false }, running);
    const advance = async (ms: number): Promise<void> => {
      on.scene.clock.aheadMs += ms;
      owner = await on.scene.signIn(owner);
      viewer = await on.scene.signIn(viewer);
    };

    const send = async (signer: Signer, localAddress = '127.0.0.1'): Promise<string> => {
      const { headers } = signer.sign({ method: 'GET', url: `https://api.example.test${url}` });
      const answer = await on.scene.running.send({
        method: 'GET',
        url,
        headers: { ...headers },
        localAddress,
      });
      return answer.status === 200 ? 'accepted' : String(answer.json()['code']);
    };
    /** Waits until what some requests of a client caused is written. */
    const written = async ({ clientId }: Caller, times: number, work: () => Promise<void>): Promise<void> => {
      const database = await on.scene.database();
      const fromMs = on.scene.nowMs() - minuteMs;
      const count = async (): Promise<number> => {
        const rows = await database
          .selectFrom('request_minutes')
          .selectAll()
          .where('client_id', '=', clientId)
          .where('starts_at_ms', '>', fromMs)
          .execute();
        return rows.reduce((sum, row) => sum + row.passed + row.failed, 0);
      };
      const countBefore = await count();
      await work();
      await waitUntil(async () => (await count()) === countBefore + times, 'the requests are counted');
    };
    const used = async ({ clientId }: Caller, sinceMs: number): Promise<void> => {
      const database = await on.scene.database();
      const row = database.selectFrom('last_uses').select('used_at_ms').where('subject_id', '=', clientId);
      await waitUntil(
        async () => ((await row.executeTakeFirst())?.used_at_ms ?? 0) >= sinceMs,
        'the use is written',
      );
    };
    const succeed = async (client: Caller, times: number, address?: string): Promise<void> => {
      const sinceMs = on.scene.nowMs();
      await written(client, times, async () => {
        for (let time = 0; time < times; time += 1)
          assert.equal(await send(client.signer, address), 'accepted');
      });
      await used(client, sinceMs);
    };
    const fail = async (client: Caller, times: number): Promise<void> => {
      const { nowMs } = on.scene;
      const signer = createSigner({ keyid: client.clientId, privateKey: otherKeyPair.privateKey, nowMs });
      await written(client, times, async () => {
        for (let time = 0; time < times; time += 1)
          assert.equal(await send(signer, `127.0.${time % 9}.9`), 'signature_invalid');
      });
    };
    const addRule = async (body: object, by: Caller | Person = owner): Promise<AlertRule> =>
      on.scene.succeed<AlertRule>(by, 'addAlertRule', { body: { name: 'A rule', ...body } });
    const read = async ({ alertRuleId }: AlertRule, by: Caller | Person = owner): Promise<AlertRule> =>
      on.scene.succeed<AlertRule>(by, 'getAlertRule', { path: { alertRuleId } });
    const alerts = async (): Promise<readonly Notice[]> =>
      (await noticesOf(on.scene, owner, 'kind=alert&limit=100')).data;
    const failureRate = { kind: 'failure_rate', percentAbove: 20, requestsMin: 10, minutes: 15 };

    test('a failure rate fires once above the threshold, and ends once after it is quiet', async () => {
      const shop = await on.scene.addCaller([]);
      const rule = await addRule({ name: 'Shop fails', condition: failureRate, clientId: shop.clientId });
      await succeed(shop, 8);
      await fail(shop, 2);
      await look();
      // 2 of 10 are not more than 20 %.
      let shown = await read(rule);
      assert.deepEqual(shown.current, { value: 20, requests: 10, isMet: false });
      assert.deepEqual(shown.firing, []);

      await fail(shop, 1);
      for (let round = 0; round < 3; round += 1) await look();
      shown = await read(rule);
      assert.deepEqual(shown.current, { value: 27.3, requests: 11, isMet: true });
      assert.equal(shown.firing.length, 1);
      assert.equal(shown.firing[0]?.value, 27.3);
      const [notice, ...others] = await alerts();
      assert.deepEqual(others, []);
      assert.equal(notice?.alert?.name, 'Shop fails');
      assert.equal(notice.client?.clientId, shop.clientId);
      assert.equal(notice.recoveredAt, undefined);

      // Its minutes are over, but it must stay quiet for ten more.
      await advance(16 * minuteMs);
      await look();
      await advance(9 * minuteMs);
      await look();
      assert.equal((await read(rule)).firing.length, 1);
      await advance(2 * minuteMs);
      await look();
      await look();
      shown = await read(rule);
      assert.deepEqual(shown.firing, []);
      assert.notEqual(shown.lastFiredAt, null);
      const ended = await alerts();
      assert.equal(ended.length, 1);
      assert.notEqual(ended[0]?.recoveredAt, undefined);
      assert.equal(ended[0]?.alert?.endReason, 'condition_ended');

      // It does not come back at once.
      await fail(shop, 12);
      await look();
      assert.deepEqual((await read(rule)).firing, []);
      await advance(11 * minuteMs);
      await look();
      assert.equal((await read(rule)).firing.length, 1);
      assert.equal((await alerts()).length, 2);
    });

    test('what holds again before it was quiet for long goes on as the same alert', async () => {
      const shop = await on.scene.addCaller([]);
      const condition = { ...failureRate, requestsMin: 1, minutes: 5 };
      const rule = await addRule({ condition, clientId: shop.clientId });
      await fail(shop, 1);
      await look();
      const [first] = (await read(rule)).firing;
      for (let again = 0; again < 3; again += 1) {
        await advance(7 * minuteMs);
        await look();
        await fail(shop, 1);
        await look();
      }
      assert.deepEqual((await read(rule)).firing, [first]);
      assert.equal((await alerts()).length, 1);
    });

    test('too few requests, observed clients of others and other accounts do not fire', async () => {
      const shop = await on.scene.addCaller([]);
      const other = await on.scene.addAccount();
      const all = await addRule({ condition: { ...failureRate, requestsMin: 5 } });
      const theirs = await addRule({ condition: { ...failureRate, requestsMin: 1 } }, other);
      await advance(hourMs);
      await fail(shop, 4);
      await look();
      assert.deepEqual((await read(all)).firing, []);
      await fail(shop, 1);
      await look();
      assert.equal((await read(all)).firing.length, 1);
      assert.deepEqual((await read(theirs, other)).firing, []);
      await on.scene.refused(other, 'getAlertRule', { path: { alertRuleId: all.alertRuleId } }, 'not_found');
    });

    test('no requests fires after the time, not for a client that never called, and ends with a request', async () => {
      const shop = await on.scene.addCaller([]);
      const fresh = await on.scene.addCaller([]);
      const condition = { kind: 'no_requests', minutes: 30 };
      const rule = await addRule({ condition, clientId: shop.clientId });
      const never = await addRule({ condition, clientId: fresh.clientId });
      await succeed(shop, 1);
      await advance(29 * minuteMs);
      await look();
      assert.deepEqual((await read(rule)).firing, []);
      await advance(2 * minuteMs);
      await look();
      await look();
      assert.equal((await read(rule)).firing.length, 1);
      assert.deepEqual((await read(never)).firing, []);
      assert.equal((await read(never)).current.value, null);
      await succeed(shop, 1);
      await look();
      assert.deepEqual((await read(rule)).firing, []);
      assert.equal((await alerts()).length, 1);
    });

    test('a service that was down gives clients some minutes to come back', async () => {
      const shop = await on.scene.addCaller([]);
      const rule = await addRule({
        condition: { kind: 'no_requests', minutes: 10 },
        clientId: shop.clientId,
      });
      await succeed(shop, 1);
      await advance(hourMs);
      const restarted = new AlertRounds(await on.scene.database(), on.scene.nowMs());
      await look(restarted);
      assert.deepEqual((await read(rule)).firing, []);
      await advance(6 * minuteMs);
      await look(restarted);
      assert.equal((await read(rule)).firing.length, 1);
    });

    test('a key that ends fires once for each key, until another takes over', async () => {
      const { publicKey } = on.scene.freshKey();
      const endsAt = new Date(on.scene.nowMs() + 10 * dayMs).toISOString();
      const { clientId } = await on.scene.succeed<{ clientId: string }>(on.scene.administrator, 'addClient', {
        body: { name: 'Billing', networkWhitelist: [{ entry: '0.0.0.0' }] },
      });
      const path = { clientId };
      await on.scene.succeed(on.scene.administrator, 'addKey', { path, body: { publicKey, endsAt } });
      const rule = await addRule({ condition: { kind: 'key_due', days: 7 } });
      await look();
      assert.deepEqual((await read(rule)).firing, []);
      await advance(4 * dayMs);
      await look();
      await look();
      const [firing, ...others] = (await read(rule)).firing;
      assert.deepEqual(others, []);
      assert.equal(firing?.clientId, clientId);
      assert.equal(firing.dueAt, endsAt);
      const { publicKey: next } = on.scene.freshKey();
      await on.scene.succeed(on.scene.administrator, 'addKey', { path, body: { publicKey: next } });
      await look();
      assert.deepEqual((await read(rule)).firing, []);
      assert.equal((await alerts()).length, 1);
    });

    test('a new address fires once, not for those that are learned first, and ends a day later', async () => {
      const shop = await on.scene.addCaller([]);
      const rule = await addRule({ condition: { kind: 'new_address' }, clientId: shop.clientId });
      await succeed(shop, 1, '127.0.0.1');
      await succeed(shop, 1, '127.0.0.2');
      await advance(2 * dayMs);
      await succeed(shop, 1, '127.0.0.1');
      await look();
      assert.deepEqual((await read(rule)).firing, []);
      await succeed(shop, 3, '127.0.0.3');
      await look();
      await look();
      const [firing, ...others] = (await read(rule)).firing;
      assert.deepEqual(others, []);
      assert.equal(firing?.sourceAddress, '127.0.0.3');
      await advance(dayMs + minuteMs);
      await look();
      assert.deepEqual((await read(rule)).firing, []);
      await succeed(shop, 1, '127.0.0.3');
      await look();
      assert.equal((await alerts()).length, 1);
      // It was not used for 90 days.
      await advance(60 * dayMs);
      await succeed(shop, 1, '127.0.0.3');
      await advance(31 * dayMs);
      await succeed(shop, 1, '127.0.0.1');
      await look();
      assert.deepEqual(
        (await read(rule)).firing.map(({ sourceAddress }) => sourceAddress),
        ['127.0.0.1'],
      );
    });

    test('reaching the rate limit fires above the number of times', async () => {
      const limits = { requestsPerMinuteMax: 1, requestsBurstMax: 1 };
      const shop = await on.scene.addCaller([], { body: limits });
      const condition = { kind: 'rate_limited', timesAbove: 2, minutes: 10 };
      const rule = await addRule({ condition, clientId: shop.clientId });
      await succeed(shop, 1);
      for (const count of [1, 2, 3]) {
        await look();
        assert.deepEqual((await read(rule)).firing, []);
        await written(shop, 1, async () =>
          assert.equal(await send(shop.signer), 'rate_limited', String(count)),
        );
      }
      await look();
      assert.equal((await read(rule)).firing[0]?.value, 3);
    });

    test('a rule that is switched off, changed or removed, and a client that is revoked, end alerts', async () => {
      const shop = await on.scene.addCaller([]);
      const condition = { ...failureRate, requestsMin: 1, minutes: 60 };
      await fail(shop, 3);
      const headers = { 'If-Match': '*' };
      const change = async (rule: AlertRule, body: object): Promise<unknown> =>
        on.scene.succeed(owner, 'updateAlertRule', {
          path: { alertRuleId: rule.alertRuleId },
          headers,
          body,
        });
      const end = async (name: string): Promise<string | undefined> =>
        (await alerts()).find(({ alert }) => alert?.name === name)?.alert?.endReason;
      const [off, changed, removed, gone] = [
        await addRule({ name: 'off', condition, clientId: shop.clientId }),
        await addRule({ name: 'changed', condition, clientId: shop.clientId }),
        await addRule({ name: 'removed', condition, clientId: shop.clientId }),
        await addRule({ name: 'gone', condition, clientId: shop.clientId }),
      ];
      await look();
      await change(off, { isEnabled: false });
      await change(changed, { condition: { ...condition, percentAbove: 99, requestsMin: 100 } });
      const path = { alertRuleId: removed.alertRuleId };
      await on.scene.succeed(owner, 'removeAlertRule', { path, headers });
      await on.scene.succeed(on.scene.administrator, 'revokeClient', { path: { clientId: shop.clientId } });
      for (let round = 0; round < 2; round += 1) await look();
      assert.equal(await end('off'), 'rule_off');
      assert.equal(await end('changed'), 'rule_changed');
      assert.equal(await end('removed'), 'rule_off');
      assert.equal(await end('gone'), 'client_gone');
      assert.equal((await alerts()).length, 4);
      assert.deepEqual((await read(gone)).current, { value: null, isMet: false });
      assert.equal((await read(gone)).client?.isActive, false);
      await on.scene.refused(owner, 'getAlertRule', { path }, 'not_found');
    });

    test('two nodes and a restart make one alert, one end, and one event of each', async () => {
      const shop = await on.scene.addCaller([]);
      const webhook = await on.add({ eventTypes: ['alert.fired', 'alert.resolved'] });
      const channels = { inInbox: true, byMail: true, byWebhook: true };
      const condition = { ...failureRate, requestsMin: 1, minutes: 5 };
      const rule = await addRule({ condition, clientId: shop.clientId, channels });
      await fail(shop, 2);
      const database = await on.scene.database();
      const nodes = [0, 1, 2].map(() => new AlertRounds(database, 0));
      await Promise.all(nodes.map((node) => look(node)));
      await look(new AlertRounds(database, 0));
      assert.equal((await read(rule)).firing.length, 1);
      await on.deliver();
      await advance(6 * minuteMs);
      await Promise.all(nodes.map((node) => look(node)));
      await advance(11 * minuteMs);
      await Promise.all(nodes.map((node) => look(node)));
      await look(new AlertRounds(database, 0));
      assert.deepEqual((await read(rule)).firing, []);
      assert.equal((await alerts()).length, 1);
      await on.deliver();
      await on.deliver();
      const received = on.receiver.at(webhook.path);
      assert.deepEqual(
        received.map(({ type }) => type),
        ['alert.fired', 'alert.resolved'],
      );
      for (const event of received) assertStandardWebhook(event, webhook.secret);
      const [fired, resolved] = received.map(({ body }) =>
        webhookData.alert.parse((JSON.parse(body) as WebhookEvent).data),
      );
      assert.equal(fired?.resolvedAt, undefined);
      assert.equal(resolved?.alertId, fired?.alertId);
      assert.equal(resolved?.endReason, 'condition_ended');
      assert.equal(resolved?.clientId, shop.clientId);
    });

    test('channels: a rule that only mails is not in the inbox, and one without webhooks makes no event', async () => {
      const shop = await on.scene.addCaller([]);
      const webhook = await on.add({ eventTypes: null });
      const condition = { ...failureRate, requestsMin: 1 };
      await fail(shop, 2);
      await addRule({
        condition,
        clientId: shop.clientId,
        channels: { inInbox: false, byMail: true, byWebhook: false },
      });
      await rounds.run({ nowMs: on.scene.nowMs(), isMailed: true }, running);
      assert.deepEqual(await alerts(), []);
      const mails = await (await on.scene.database()).selectFrom('notice_mails').selectAll().execute();
      assert.equal(mails.length, 2);
      await on.deliver();
      const types = on.receiver.at(webhook.path).map(({ type }) => type);
      assert.deepEqual(
        types.filter((type) => type?.startsWith('alert.')),
        [],
      );
    });

    test('viewers read and measure, but change nothing', async () => {
      const rule = await addRule({ condition: failureRate });
      assert.equal((await read(rule, viewer)).name, 'A rule');
      const preview = { body: { condition: failureRate } };
      await on.scene.succeed(viewer, 'previewAlertRule', preview);
      const path = { alertRuleId: rule.alertRuleId };
      const headers = { 'If-Match': '*' };
      const body = { name: 'Mine', condition: failureRate };
      await on.scene.refused(viewer, 'addAlertRule', { body }, 'permission_denied');
      await on.scene.refused(viewer, 'updateAlertRule', { path, headers, body }, 'permission_denied');
      await on.scene.refused(viewer, 'removeAlertRule', { path, headers }, 'permission_denied');
    });

    test('a change needs the state that was seen', async () => {
      const rule = await addRule({ condition: failureRate });
      const path = { alertRuleId: rule.alertRuleId };
      const body = { name: 'Renamed' };
      await on.scene.refused(owner, 'updateAlertRule', { path, body }, 'precondition_required');
      const seen = (await on.scene.call(owner, 'getAlertRule', { path })).headers['etag'] as string;
      await on.scene.succeed(owner, 'updateAlertRule', { path, headers: { 'If-Match': seen }, body });
      const late = { path, headers: { 'If-Match': seen }, body: { name: 'Again' } };
      await on.scene.refused(owner, 'updateAlertRule', late, 'precondition_failed');
    });

    test('hostile conditions, channels and clients are rejected', async () => {
      const theirs = await on.scene.addCaller([], { by: await on.scene.addAccount() });
      const bodies: object[] = [
        { condition: { ...failureRate, percentAbove: -1 } },
        { condition: { ...failureRate, percentAbove: 100 } },
        { condition: { ...failureRate, percentAbove: '20' } },
        { condition: { ...failureRate, percentAbove: 1.5 } },
        { condition: { ...failureRate, percentAbove: null } },
        { condition: { ...failureRate, requestsMin: 0 } },
        { condition: { ...failureRate, requestsMin: 1e300 } },
        { condition: { ...failureRate, minutes: 61 } },
        { condition: { ...failureRate, minutes: Number.MAX_SAFE_INTEGER } },
        { condition: { ...failureRate, days: 3 } },
        { condition: { kind: 'failure_rate' } },
        { condition: { kind: 'no_requests', minutes: 43_201 } },
        { condition: { kind: 'key_due', days: 0 } },
        { condition: { kind: 'key_due', days: 91 } },
        { condition: { kind: 'new_address', days: 1 } },
        { condition: { kind: '__proto__' } },
        { condition: { kind: 'constructor', days: 1 } },
        { condition: [] },
        { condition: failureRate, clientId: theirs.clientId },
        { condition: failureRate, clientId: "' or 1=1" },
        { condition: failureRate, clientId: '' },
        { condition: failureRate, name: 'a\u0000b' },
        { condition: failureRate, channels: { inInbox: false, byMail: false, byWebhook: false } },
        { condition: failureRate, channels: { inInbox: true } },
        { condition: failureRate, accountId: 'account_1' },
      ];
      for (const body of bodies)
        await on.scene.refused(owner, 'addAlertRule', { body: { name: 'Bad', ...body } }, 'body_invalid');
      const preview = { body: { condition: failureRate, clientId: theirs.clientId } };
      await on.scene.refused(owner, 'previewAlertRule', preview, 'body_invalid');
      const { running: service } = on.scene;
      void service;
    });

    test('thousands of rules are looked at in turn, a bounded number in each round', async () => {
      const shop = await on.scene.addCaller([]);
      await fail(shop, 1);
      const rule = await addRule({ condition: { kind: 'new_address' } });
      // The others come before it.
      const last = await addRule({ condition: { ...failureRate, requestsMin: 1, percentAbove: 0 } });
      const database = await on.scene.database();
      const row = await database
        .selectFrom('alert_rules')
        .selectAll()
        .where('alert_rule_id', '=', rule.alertRuleId)
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: 1200 }, (_, index) => ({
        ...row,
        alert_rule_id: `alertrule_${String(index).padStart(26, '0')}`,
      }));
      for (let start = 0; start < rows.length; start += 60)
        await database
          .insertInto('alert_rules')
          .values(rows.slice(start, start + 60))
          .execute();
      const fresh = new AlertRounds(database, 0);
      await look(fresh);
      await look(fresh);
      assert.deepEqual((await read(last)).firing, []);
      await look(fresh);
      assert.equal((await read(last)).firing.length, 1);
    });
  });
}

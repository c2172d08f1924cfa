import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { AlertRule, Notice, WebhookEvent } from '@countersign/contract';
import { webhookData } from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { openConnection } from '@countersign/testing/raw-connection';
import { otherKeyPair } from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';
import { sql } from 'kysely';
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
      rounds = await roundsFrom(on.scene.nowMs() - dayMs);
    });
    after(() => on.close());
    afterEach(async () => {
      const database = await on.scene.database();
      await database.deleteFrom('alert_rules').execute();
      await database.deleteFrom('webhooks').execute();
      await database.deleteFrom('notices').execute();
      on.receiver.received.length = 0;
      assert.deepEqual(failures.splice(0), []);
    });

    let rounds: AlertRounds;
    const failures: unknown[] = [];
    const roundsFrom = async (startedAtMs: number): Promise<AlertRounds> =>
      new AlertRounds({
        database: await on.scene.database(),
        startedAtMs,
        onError: (error) => failures.push(error),
      });
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
      const restarted = await roundsFrom(on.scene.nowMs());
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

    const addKeys = async (
      clientId: string,
      count: number,
      { endsAtMs, status = 'active', from = 0 }: { endsAtMs: number; status?: string; from?: number },
    ): Promise<void> => {
      const database = await on.scene.database();
      const row = await database
        .selectFrom('client_keys')
        .selectAll()
        .where('client_id', '=', clientId)
        .limit(1)
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: count }, (_, index) => ({
        ...row,
        key_id: `key_${String(from + index).padStart(26, '0')}`,
        fingerprint: `SHA256:${clientId}${from + index}`,
        status: status as typeof row.status,
        ends_at_ms: endsAtMs,
      }));
      for (let start = 0; start < rows.length; start += 40)
        await database
          .insertInto('client_keys')
          .values(rows.slice(start, start + 40))
          .execute();
    };

    test('a key is found behind any number of keys that ended long ago or are replaced', async () => {
      const nowMs = on.scene.nowMs();
      const replaced = await on.scene.addCaller([]);
      await addKeys(replaced.clientId, 600, { endsAtMs: nowMs - 2 * dayMs });
      await addKeys(replaced.clientId, 600, { endsAtMs: nowMs - 2 * dayMs, status: 'expired', from: 600 });
      const database = await on.scene.database();
      // All are older than the client's first key, which does not end.
      await addKeys(replaced.clientId, 600, { endsAtMs: nowMs + dayMs, from: 1200 });
      await database
        .updateTable('client_keys')
        .set({ created_at_ms: nowMs - 90 * dayMs } as never)
        .where('key_id', 'like', 'key_000000%')
        .execute();
      const shop = await on.scene.addCaller([]);
      await database
        .updateTable('client_keys')
        .set({ ends_at_ms: nowMs + 2 * dayMs })
        .where('client_id', '=', shop.clientId)
        .execute();
      const rule = await addRule({ condition: { kind: 'key_due', days: 7 } });
      await look();
      const shown = await read(rule);
      await database.deleteFrom('client_keys').where('key_id', 'like', 'key_000000%').execute();
      assert.deepEqual(
        shown.firing.map(({ clientId }) => clientId),
        [shop.clientId],
      );
      assert.deepEqual(shown.current, { value: 1, isMet: true });
    });

    test('a key that reaches the maximum age of the account is found, and no longer once it ended', async () => {
      const other = await on.scene.addAccount();
      const shop = await on.scene.addCaller([], { by: other });
      const database = await on.scene.database();
      const change = (keyAgeDaysMax: number): Promise<unknown> =>
        database
          .updateTable('accounts')
          .set({ key_age_days_max: keyAgeDaysMax })
          .where('account_id', '=', other.accountId)
          .execute();
      await change(100);
      const condition = { kind: 'key_due', days: 7 };
      const rule = await addRule({ condition, clientId: shop.clientId }, other);
      const age = (days: number): Promise<unknown> =>
        database
          .updateTable('client_keys')
          .set({ created_at_ms: on.scene.nowMs() - days * dayMs } as never)
          .where('client_id', '=', shop.clientId)
          .execute();
      await age(92);
      await look();
      assert.deepEqual((await read(rule, other)).firing, []);
      await age(99);
      await look();
      assert.equal((await read(rule, other)).firing.length, 1);
      await age(102);
      await look();
      assert.deepEqual((await read(rule, other)).firing, []);
    });

    test('a key that ends unreplaced keeps its alert for a day, and does not fire later', async () => {
      const nowMs = on.scene.nowMs();
      const endsAt = new Date(nowMs + dayMs).toISOString();
      const withKey = async (name: string): Promise<{ readonly clientId: string }> => {
        const path = await on.scene.succeed<{ clientId: string }>(on.scene.administrator, 'addClient', {
          body: { name, networkWhitelist: [{ entry: '0.0.0.0' }] },
        });
        const { publicKey } = on.scene.freshKey();
        await on.scene.succeed(on.scene.administrator, 'addKey', { path, body: { publicKey, endsAt } });
        return { clientId: path.clientId };
      };
      const [saved, lost] = [await withKey('Saved'), await withKey('Lost')];
      const condition = { kind: 'key_due', days: 7 };
      const [rescued, ended] = [
        await addRule({ condition, clientId: saved.clientId }),
        await addRule({ condition, clientId: lost.clientId }),
      ];
      await look();
      await advance(dayMs + hourMs);
      const database = await on.scene.database();
      // As upkeep records it.
      await database
        .updateTable('client_keys')
        .set({ status: 'expired' })
        .where('client_id', 'in', [saved.clientId, lost.clientId])
        .execute();
      const late = await addRule({ condition, clientId: lost.clientId });
      await look();
      assert.equal((await read(ended)).firing.length, 1);
      assert.deepEqual((await read(ended)).current, { value: 0, isMet: false });
      assert.deepEqual((await read(late)).firing, []);
      assert.equal((await read(rescued)).firing.length, 1);
      const { publicKey } = on.scene.freshKey();
      await on.scene.succeed(on.scene.administrator, 'addKey', { path: saved, body: { publicKey } });
      await look();
      assert.deepEqual((await read(rescued)).firing, []);
      await advance(dayMs);
      await look();
      assert.deepEqual((await read(ended)).firing, []);
    });

    test('more keys than may fire at a time end no alert that still holds', async () => {
      const nowMs = on.scene.nowMs();
      const shop = await on.scene.addCaller([]);
      const { clientId } = shop;
      const rule = await addRule({ condition: { kind: 'key_due', days: 7 }, clientId });
      const database = await on.scene.database();
      const first = database.updateTable('client_keys').where('client_id', '=', clientId);
      await first.set({ ends_at_ms: nowMs + 6 * dayMs }).execute();
      await look();
      const [alert] = (await read(rule)).firing;
      // These end before it.
      await addKeys(clientId, 30, { endsAtMs: nowMs + 5 * dayMs });
      await database
        .updateTable('client_keys')
        .set({ created_at_ms: nowMs + hourMs } as never)
        .where('key_id', 'like', 'key_000000%')
        .execute();
      for (let round = 0; round < 2; round += 1) await look();
      const shown = await read(rule);
      await database.deleteFrom('client_keys').where('key_id', 'like', 'key_000000%').execute();
      assert.equal(shown.firing.length, 20);
      assert.equal(shown.current.value, 31);
      assert.ok(shown.firing.some(({ alertId }) => alertId === alert?.alertId));
    });

    test('whether a client has older addresses is looked up by an index', async () => {
      const explain =
        backend.name === 'SQLite'
          ? sql<object>`explain query plan select new.address from client_addresses as new
              where new.account_id = 'a' and new.first_at_ms > 1 and exists (select known.address
              from client_addresses as known where known.client_id = new.client_id
              and known.first_at_ms < new.first_at_ms - 1) order by new.first_at_ms`
          : sql<object>`select indexdef from pg_indexes where tablename = 'client_addresses'`;
      const { rows } = await explain.execute(await on.scene.database());
      assert.match(JSON.stringify(rows), /client_addresses_known/);
      assert.doesNotMatch(JSON.stringify(rows), /TEMP B-TREE|SCAN/);
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
      const nodes = await Promise.all([0, 1, 2].map(() => roundsFrom(0)));
      await Promise.all(nodes.map((node) => look(node)));
      await look(await roundsFrom(0));
      assert.equal((await read(rule)).firing.length, 1);
      await on.deliver();
      await advance(6 * minuteMs);
      await Promise.all(nodes.map((node) => look(node)));
      await advance(11 * minuteMs);
      await Promise.all(nodes.map((node) => look(node)));
      await look(await roundsFrom(0));
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

    test('the end of an alert goes to webhooks if its beginning did, whatever the rule says now', async () => {
      const webhook = await on.add({ eventTypes: ['alert.fired', 'alert.resolved'] });
      const condition = { ...failureRate, requestsMin: 1, minutes: 5 };
      const shop = await on.scene.addCaller([]);
      const told = { inInbox: true, byMail: false, byWebhook: true };
      const untold = { ...told, byWebhook: false };
      const of = { condition, clientId: shop.clientId };
      const yes = await addRule({ ...of, channels: told });
      const no = await addRule({ ...of, channels: untold });
      await fail(shop, 1);
      await look();
      await on.deliver();
      const headers = { 'If-Match': '*' };
      for (const [{ alertRuleId }, channels] of [
        [yes, untold],
        [no, told],
      ] as const)
        await on.scene.succeed(owner, 'updateAlertRule', {
          path: { alertRuleId },
          headers,
          body: { channels },
        });
      await advance(6 * minuteMs);
      await look();
      await advance(11 * minuteMs);
      await look();
      assert.deepEqual([(await read(yes)).firing, (await read(no)).firing], [[], []]);
      await on.deliver();
      assert.deepEqual(
        on.receiver.at(webhook.path).map(({ type, body }) => {
          const { data } = JSON.parse(body) as WebhookEvent;
          return [type, webhookData.alert.parse(data).alertRuleId];
        }),
        [
          ['alert.fired', yes.alertRuleId],
          ['alert.resolved', yes.alertRuleId],
        ],
      );
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

    test('a rule that cannot be looked at keeps no other waiting, and is reported', async () => {
      const shop = await on.scene.addCaller([]);
      await fail(shop, 1);
      const rule = await addRule({ condition: { ...failureRate, requestsMin: 1 }, clientId: shop.clientId });
      const database = await on.scene.database();
      const row = await database
        .selectFrom('alert_rules')
        .selectAll()
        .where('alert_rule_id', '=', rule.alertRuleId)
        .executeTakeFirstOrThrow();
      // They come first: one of a newer version, and one that is damaged.
      const conditions = ['{"kind":"of_a_newer_version"}', '{'];
      const rows = conditions.map((condition, index) => ({
        ...row,
        alert_rule_id: `alertrule_${index}`,
        condition,
      }));
      await database.insertInto('alert_rules').values(rows).execute();
      await look();
      assert.equal((await read(rule)).firing.length, 1);
      assert.deepEqual(
        failures.splice(0).map((error) => (error as Error).message),
        rows.map(({ alert_rule_id: id }) => `The alert rule ${id} could not be looked at.`),
      );
    });

    test('a caller that hangs up has not failed', async () => {
      const shop = await on.scene.addCaller(['administrator']);
      const rule = await addRule({ condition: { ...failureRate, requestsMin: 1 }, clientId: shop.clientId });
      const connection = await openConnection(on.scene.running.port);
      const target = '/v1/clients';
      const body = '{"name":"Shop"}';
      const { headers } = shop.signer.sign({
        method: 'POST',
        url: `https://api.example.test${target}`,
        body,
      });
      const lines = Object.entries({
        Host: 'api.example.test',
        ...headers,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        Expect: '100-continue',
      }).map(([name, value]) => `${name}: ${value}\r\n`);
      connection.write(`POST ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
      assert.equal((await connection.answer()).status, 100);
      connection.cut();
      const database = await on.scene.database();
      const closed = database
        .selectFrom('request_records')
        .select('outcome')
        .where('client_id', '=', shop.clientId)
        .where('outcome', '=', 'connection_closed');
      await waitUntil(async () => (await closed.executeTakeFirst()) !== undefined, 'the request is recorded');
      await succeed(shop, 1);
      await look();
      assert.deepEqual((await read(rule)).current, { value: 0, requests: 1, isMet: false });
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
      const fresh = await roundsFrom(0);
      await look(fresh);
      await look(fresh);
      assert.deepEqual((await read(last)).firing, []);
      await look(fresh);
      assert.equal((await read(last)).firing.length, 1);
    });
  });
}

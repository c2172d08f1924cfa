import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Invitation, Notice, NoticeCount, NoticePreferences } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { addNotice } from '../../src/notices/add-notice.ts';
import { noteChanges } from '../../src/notices/change-notices.ts';
import { inTransaction } from '../../src/storage/transaction.ts';
import { anywhere, type Client, type ManagementScene, type Person } from '../management/scene.ts';
import { noticesOf, noticesScene, waitForNotices } from './notices-scene.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

for (const backend of backends) {
  describe(`notices of changes on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let owner: Person;
    let viewer: Person;
    let client: Client;
    before(async () => {
      scene = await noticesScene(backend);
      owner = await scene.addPerson({ role: 'owner', name: 'Ann' });
      viewer = await scene.addPerson({ role: 'viewer', name: 'Vic' });
      const body = { name: 'Shop', networkWhitelist: anywhere };
      client = await scene.succeed<Client>(scene.administrator, 'addClient', { body });
    });
    after(() => scene.close());

    const actions = (notices: readonly Notice[]): (string | undefined)[] =>
      notices.map(({ event }) => event?.action);

    /** Invites a person, and waits for the notice: all earlier changes were then noticed too. */
    const everythingNoticed = async (person: Person = viewer): Promise<void> => {
      const email = `barrier-${scene.nowMs()}-${Math.random()}@example.test`;
      const body = { email, role: 'viewer' };
      await scene.succeed<Invitation>(await scene.signIn(owner), 'inviteMember', { body });
      await waitForNotices(scene, person, 'team_changed', (notices) =>
        notices.some(({ event }) => event?.after?.['email'] === email),
      );
    };

    test('each change of the team is one notice, and never a second one, however many nodes look', async (t) => {
      const database = await scene.database();
      const stop = new AbortController();
      t.after(() => stop.abort());
      const otherNode = async (): Promise<void> => {
        while (!stop.signal.aborted) {
          await noteChanges(database, { nowMs: scene.nowMs(), isMailed: false });
          await sleep(1);
        }
      };
      const others = Promise.all([otherNode(), otherNode()]);
      const member = await scene.addPerson({ role: 'viewer' });
      const path = { userId: member.userId };
      await scene.succeed(owner, 'changeMember', { path, body: { role: 'developer' } });
      await scene.succeed(owner, 'removeMember', { path });
      await everythingNoticed();
      await everythingNoticed();
      stop.abort();
      await others;
      const { data } = await noticesOf(scene, viewer, 'kind=team_changed&limit=100');
      const ofMember = data.filter(({ event }) => event?.targets[0]?.id === member.userId);
      assert.deepEqual(actions(ofMember), ['member.removed', 'member.role_changed']);
      assert.deepEqual([...new Set(ofMember.map(({ count }) => count))], [1]);
      assert.deepEqual(ofMember[0]?.event?.actor.id, owner.userId);
    });

    test('what happens after somebody has joined is news for them, also when a turn that began before reads it', async (t) => {
      const quiet = await noticesScene(backend, { overrides: { noticesEveryMs: dayMs } });
      t.after(() => quiet.close());
      const turnBeganAtMs = quiet.nowMs() - 1000;
      const [inviter, reader] = [
        await quiet.addPerson({ role: 'owner' }),
        await quiet.addPerson({ role: 'viewer' }),
      ];
      const body = { email: 'invited@example.test', role: 'viewer' };
      await quiet.succeed(inviter, 'inviteMember', { body });
      while (await noteChanges(await quiet.database(), { nowMs: turnBeganAtMs, isMailed: false }));
      const { data } = await noticesOf(quiet, reader);
      assert.deepEqual(
        data.map(({ event, isRead }) => [event?.after?.['email'], isRead]),
        [[body.email, false]],
      );
    });

    test('networks, roles, limits, policies: a notice each, with the client; nothing of what does not matter', async () => {
      const path = { clientId: client.clientId };
      const headers = { 'If-Match': '*' };
      await scene.succeed(owner, 'addNetworkEntry', { path, body: { entry: '10.0.0.1' } });
      await scene.succeed(owner, 'addRole', { body: { name: 'one', permissions: ['payments:read'] } });
      await scene.succeed(owner, 'updateClient', { path, headers, body: { requestsPerMinuteMax: 7 } });
      await scene.succeed(owner, 'updateSecurityPolicy', { headers, body: { sessionHoursMax: 100 } });
      // No policies: a name, tags, a key.
      await scene.succeed(owner, 'updateClient', { path, headers, body: { name: 'Shop again' } });
      const clients = [{ clientId: client.clientId }];
      await scene.succeed(owner, 'changeClients', { body: { clients, action: 'add_tags', tags: ['eu'] } });
      await scene.succeed(owner, 'addKey', { path, body: { publicKey: scene.freshKey().publicKey } });
      await everythingNoticed();
      const { data } = await noticesOf(scene, viewer, 'kind=policy_changed&limit=100');
      assert.deepEqual(actions(data), ['policy.updated', 'client.updated', 'role.added', 'network.added']);
      assert.deepEqual(data[3]?.client, { clientId: client.clientId, name: 'Shop again' });
      assert.equal(data[0]?.client, undefined);
    });

    test('a program that changes a thousand things makes one notice an hour, which is unread again each time', async () => {
      const path = { clientId: client.clientId };
      const added = async (entry: string): Promise<void> => {
        await scene.succeed(scene.administrator, 'addNetworkEntry', { path, body: { entry } });
      };
      const byProgram = (notices: readonly Notice[]): readonly Notice[] =>
        notices.filter(({ event }) => event?.actor.id === scene.administrator.clientId);
      const soon = async (count: number): Promise<Notice> => {
        const isThere = (all: readonly Notice[]): boolean =>
          byProgram(all).reduce((sum, notice) => sum + notice.count, 0) === count;
        return byProgram(await waitForNotices(scene, viewer, 'policy_changed', isThere))[0]!;
      };
      // The next hour begins, so that it does not begin in the middle.
      scene.clock.aheadMs += hourMs - (scene.nowMs() % hourMs);
      await added('10.1.0.1');
      const { noticeId } = await soon(1);
      await scene.succeed(viewer, 'readNotice', { path: { noticeId } });
      await added('10.1.0.2');
      await added('10.1.0.3');
      const notice = await soon(3);
      assert.equal(notice.noticeId, noticeId);
      assert.equal(notice.isRead, false);
      assert.match(JSON.stringify(notice.event?.after), /10\.1\.0\.3/);
      scene.clock.aheadMs += hourMs;
      await added('10.1.0.4');
      const next = await soon(4);
      assert.notEqual(next.noticeId, noticeId);
    });

    test('what somebody did is read for them, and unread for everyone else', async () => {
      await everythingNoticed();
      await everythingNoticed(owner);
      const mine = await noticesOf(scene, owner, 'kind=team_changed&limit=1');
      const theirs = await noticesOf(scene, viewer, 'kind=team_changed&limit=1');
      assert.equal(mine.data[0]?.noticeId, theirs.data[0]?.noticeId);
      assert.deepEqual([mine.data[0]?.isRead, theirs.data[0]?.isRead], [true, false]);
    });

    test('pages hold every notice once, and unread ones alone when asked', async () => {
      const all = await noticesOf(scene, viewer);
      const paged: Notice[] = [];
      for (let cursor = ''; ;) {
        const { data, nextCursor } = await noticesOf(scene, viewer, `limit=2${cursor}`);
        paged.push(...data);
        if (nextCursor === null) break;
        cursor = `&cursor=${nextCursor}`;
      }
      assert.deepEqual(paged, all.data);
      await scene.succeed(viewer, 'readNotice', { path: { noticeId: all.data[0]!.noticeId } });
      const unread = await noticesOf(scene, viewer, 'show=unread&limit=100');
      assert.deepEqual(
        unread.data,
        all.data.filter(({ isRead }) => !isRead).filter((_, index) => index > 0),
      );
      assert.equal(unread.unread, unread.data.length);
      await scene.refused(viewer, 'listNotices', { query: 'kind=keys' }, 'query_invalid');
      await scene.refused(viewer, 'listNotices', { query: 'cursor=MTpub3RpY2U' }, 'cursor_invalid');
    });

    test('all are marked as read at once, but none that came after the time that the page names', async () => {
      await everythingNoticed();
      const atFirst = await noticesOf(scene, viewer);
      const until = new Date(scene.nowMs()).toISOString();
      scene.clock.aheadMs += 1000;
      await everythingNoticed();
      const left = await scene.succeed<NoticeCount>(viewer, 'readAllNotices', { body: { until } });
      assert.equal(left.unread, 1);
      const now = await noticesOf(scene, viewer);
      assert.equal(now.data.length, atFirst.data.length + 1);
      assert.deepEqual(await scene.succeed(viewer, 'readAllNotices'), { unread: 0 });
      assert.equal((await noticesOf(scene, viewer)).unread, 0);
      // Nobody reads for another person.
      assert.ok((await noticesOf(scene, await scene.addPerson({ role: 'viewer' }))).data.length > 0);
    });

    test('whoever joins has read all that was there before', async () => {
      scene.clock.aheadMs += 1000;
      const late = await scene.addPerson({ role: 'viewer' });
      const { data, unread } = await noticesOf(scene, late);
      assert.ok(data.length > 5);
      assert.equal(unread, 0);
      assert.ok(data.every(({ isRead }) => isRead));
      await everythingNoticed(late);
      assert.equal((await noticesOf(scene, late)).unread, 1);
    });

    test('another account, somebody who acts for this one, and an account manager see nothing of it', async () => {
      const { data } = await noticesOf(scene, viewer);
      const path = { noticeId: data[0]!.noticeId };
      const { accountId } = await scene.addAccount();
      const stranger = await scene.addPerson({ accountId, role: 'owner' });
      assert.deepEqual(await noticesOf(scene, stranger), { data: [], nextCursor: null, unread: 0 });
      await scene.refused(stranger, 'readNotice', { path }, 'not_found');
      const elsewhere = { ...stranger, accountId: scene.accountId };
      await scene.refused(elsewhere, 'listNotices', {}, 'not_found');

      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const manager = await scene.addPerson({
        accountId: operator.accountId,
        role: 'account-manager',
        hasSecondFactor: true,
      });
      const body = { accountId: scene.accountId, reason: 'Help with a client' };
      await scene.succeed(manager, 'startActing', { body });
      const acting = { ...manager, accountId: scene.accountId };
      assert.deepEqual(await noticesOf(scene, acting), { data: [], nextCursor: null, unread: 0 });
      await scene.refused(acting, 'readNotice', { path }, 'not_found');
      await waitForNotices(scene, viewer, 'team_changed', (all) => actions(all).includes('acting.started'));

      await scene.succeed(manager, 'endActing');
      const own = await scene.succeed<NoticePreferences>(manager, 'getNoticePreferences');
      // Only what concerns the whole service.
      assert.deepEqual(
        own.preferences.map(({ kind }) => kind),
        ['stream_stalled'],
      );
      assert.deepEqual((await noticesOf(scene, manager)).data, []);
    });

    test('each person decides which kinds the inbox has', async () => {
      const { preferences, isMailConfigured } = await scene.succeed<NoticePreferences>(
        viewer,
        'getNoticePreferences',
      );
      assert.equal(isMailConfigured, false);
      assert.deepEqual(
        preferences.map(({ kind, inInbox, byMail }) => `${kind} ${inInbox} ${byMail}`),
        [
          'key_due true true',
          'first_failure true true',
          'refused_address true false',
          'rate_limited true false',
          'alert true true',
          'team_changed true true',
          'policy_changed true true',
        ],
      );
      await everythingNoticed();
      const atFirst = await noticesOf(scene, viewer);
      const off = { kind: 'team_changed', inInbox: false, byMail: false };
      const changed = await scene.succeed<NoticePreferences>(viewer, 'updateNoticePreferences', {
        body: { preferences: [off] },
      });
      assert.deepEqual(
        changed.preferences.find(({ kind }) => kind === 'team_changed'),
        off,
      );
      assert.deepEqual(changed.preferences.at(-1), preferences.at(-1));
      const now = await noticesOf(scene, viewer);
      assert.deepEqual(
        now.data.map(({ kind }) => kind),
        atFirst.data.map(({ kind }) => kind).filter((kind) => kind !== 'team_changed'),
      );
      assert.ok(now.unread < atFirst.unread);
      assert.deepEqual((await noticesOf(scene, viewer, 'kind=team_changed')).data, []);
      const noticeId = atFirst.data.find(({ kind }) => kind === 'team_changed')!.noticeId;
      await scene.refused(viewer, 'readNotice', { path: { noticeId } }, 'not_found');
      assert.ok((await noticesOf(scene, owner, 'kind=team_changed')).data.length > 0);
    });

    test('preferences of unknown kinds, twice the same and of no kind are refused', async () => {
      const one = { kind: 'key_due', inInbox: true, byMail: true };
      for (const preferences of [
        [],
        [one, one],
        [{ ...one, kind: 'keys' }],
        [{ ...one, byMail: 1 }],
        undefined,
      ])
        await scene.refused(owner, 'updateNoticePreferences', { body: { preferences } }, 'body_invalid');
    });

    test('of too many the oldest go, then all that are old, and none is made again', async () => {
      const { accountId } = await scene.addAccount();
      const reader = await scene.addPerson({ accountId, role: 'viewer' });
      const database = await scene.database();
      const note = async (index: number): Promise<boolean> => {
        const happenedAtMs = scene.nowMs() - dayMs + index;
        const notice = { accountId, kind: 'key_due', mark: `key ${index}`, happenedAtMs } as const;
        const context = { nowMs: happenedAtMs, isMailed: false };
        return inTransaction(database, (transaction) => addNotice(transaction, notice, context));
      };
      for (let index = 0; index < 205; index += 1) assert.ok(await note(index));
      const pages = async (person: Person): Promise<number> => {
        const first = await noticesOf(scene, person);
        const second = await noticesOf(scene, person, `limit=100&cursor=${first.nextCursor}`);
        return second.nextCursor === null ? 0 : 2;
      };
      assert.equal(await pages(reader), 2);
      scene.clock.aheadMs += 2 * hourMs;
      await waitUntil(async () => (await pages(reader)) === 0, 'too many notices are removed');
      assert.equal(await note(0), false);
      scene.clock.aheadMs += 91 * dayMs;
      const returned = await scene.signIn(reader);
      // A key of the account may have become due meanwhile.
      const isOld = ({ happenedAt }: Notice): boolean => Date.parse(happenedAt) < scene.nowMs() - 90 * dayMs;
      await waitUntil(
        async () => !(await noticesOf(scene, returned)).data.some(isOld),
        'old notices are removed',
      );
      assert.equal(await note(204), false);
    });
  });
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notice } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { waitFor } from '@countersign/testing/wait-until';
import type { NoticeDigest } from '../../src/people/identity/identity.ts';
import { noteChanges } from '../../src/notices/change-notices.ts';
import { mailDigests } from '../../src/notices/mail-digests.ts';
import { type MailServer, type ReceivedMail, runMailServer } from '../identity/mail-server.ts';
import { anywhere, type Client, type ManagementScene, type Person } from '../management/scene.ts';
import { noticesScene, waitForNotices } from './notices-scene.ts';

const minuteMs = 60_000;

for (const backend of backends) {
  describe(`mails of notices on ${backend.name}`, { skip: backend.skip }, () => {
    let server: MailServer;
    let scene: ManagementScene;
    let owner: Person;
    let viewer: Person;
    before(async () => {
      server = await runMailServer();
      scene = await noticesScene(backend, {
        settings: {
          COUNTERSIGN_MAIL_URL: server.url,
          COUNTERSIGN_MAIL_REQUIRE_TLS: 'no',
          COUNTERSIGN_MAIL_FROM: 'portal@example.com',
        },
      });
      owner = await scene.addPerson({ role: 'owner', name: 'Ann' });
      viewer = await scene.addPerson({ role: 'viewer', name: 'Vic' });
    });
    after(async () => {
      await scene.close();
      await server.close();
    });

    const mailsTo = ({ email }: Person): readonly ReceivedMail[] =>
      server.received.filter(({ to }) => to.includes(email));
    /** Waits until a person was sent this many mails. */
    const mailed = (person: Person, count: number): Promise<ReceivedMail> =>
      waitFor(() => mailsTo(person)[count - 1], `mail ${count}`);
    const addRole = (name: string): Promise<unknown> =>
      scene.succeed(owner, 'addRole', { body: { name, permissions: ['payments:read'] } });
    const invite = async (email: string): Promise<void> => {
      const signedIn = await scene.signIn(owner);
      await scene.succeed(signedIn, 'inviteMember', { body: { email, role: 'viewer' } });
    };
    const noticed = (count: number): Promise<readonly Notice[]> =>
      waitForNotices(scene, viewer, 'team_changed', (all) => all.length === count);

    test('what happens is one mail, and what follows waits for the next, together', async () => {
      await invite('first@example.test');
      const first = await mailed(viewer, 1);
      assert.match(first.text, /Subject: 1 new notice from /);
      assert.match(first.text, /- Ann invited first@example\.test as viewer\./);
      assert.match(first.text, /https:\/\/api\.example\.test\/portal\/notices\s/);
      assert.match(first.text, /https:\/\/api\.example\.test\/portal\/settings\/profile#notices/);
      await invite('second@example.test');
      await invite('third@example.test');
      await noticed(3);
      // More nodes make no more mails.
      const database = await scene.database();
      const send = (): Promise<void> => Promise.reject(new Error('mailed too early'));
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      for (let node = 0; node < 3; node += 1)
        await mailDigests(database, { nowMs: scene.nowMs(), send, onError });
      assert.deepEqual(errors, []);
      assert.equal(mailsTo(viewer).length, 1);
      scene.clock.aheadMs += 16 * minuteMs;
      const second = await mailed(viewer, 2);
      assert.match(second.text, /Subject: 2 new notices/);
      assert.match(second.text, /second@example\.test/);
      assert.match(second.text, /third@example\.test/);
      // The owner did all of it.
      assert.deepEqual(mailsTo(owner), []);
    });

    test('what was read, or is not wanted, is not mailed', async () => {
      scene.clock.aheadMs += 16 * minuteMs;
      owner = await scene.signIn(owner);
      viewer = await scene.signIn(viewer);
      await scene.succeed(viewer, 'updateNoticePreferences', {
        body: { preferences: [{ kind: 'team_changed', inInbox: true, byMail: false }] },
      });
      await invite('unmailed@example.test');
      await noticed(4);
      await addRole('mailed');
      const mail = await mailed(viewer, 3);
      assert.match(mail.text, /Ann added the role mailed\./);
      assert.doesNotMatch(mail.text, /unmailed/);

      const removed = await scene.addPerson({ role: 'viewer', name: 'Gone' });
      scene.clock.aheadMs += 61 * minuteMs;
      owner = await scene.signIn(owner);
      await addRole('next');
      await mailed(removed, 1);
      await addRole('after');
      await scene.succeed(await scene.signIn(owner), 'removeMember', { path: { userId: removed.userId } });
      scene.clock.aheadMs += 61 * minuteMs;
      owner = await scene.signIn(owner);
      await addRole('much-later');
      await mailed(viewer, 5);
      assert.equal(mailsTo(removed).length, 1);
    });

    test('what was read before it was mailed does not delay the mail of what follows', async (t) => {
      const quiet = await noticesScene(backend, { overrides: { noticesEveryMs: 86_400_000 } });
      t.after(() => quiet.close());
      const inviter = await quiet.addPerson({ role: 'owner', name: 'Ann' });
      const reader = await quiet.addPerson({ role: 'viewer', name: 'Kim' });
      const database = await quiet.database();
      const change = async (email: string): Promise<void> => {
        await quiet.succeed(inviter, 'inviteMember', { body: { email, role: 'viewer' } });
        while (await noteChanges(database, { nowMs: quiet.nowMs(), isMailed: true }));
      };
      const sent: NoticeDigest[] = [];
      const mail = (): Promise<void> =>
        mailDigests(database, {
          nowMs: quiet.nowMs(),
          send: (digest) => Promise.resolve(void sent.push(digest)),
          onError: (error) => assert.fail(error as Error),
        });
      await change('read@example.test');
      await quiet.succeed(reader, 'readAllNotices', {
        body: { until: new Date(quiet.nowMs()).toISOString() },
      });
      await mail();
      assert.deepEqual(sent, []);
      await change('unread@example.test');
      await mail();
      assert.deepEqual(
        sent.map(({ email }) => email),
        [reader.email],
      );
      assert.match(JSON.stringify(sent), /invited unread@example\.test/);
    });

    test('a change of the rules that a client signs by is named', async (t) => {
      const quiet = await noticesScene(backend, { overrides: { noticesEveryMs: 86_400_000 } });
      t.after(() => quiet.close());
      const changer = await quiet.addPerson({ role: 'owner', name: 'Ann' });
      await quiet.addPerson({ role: 'viewer', name: 'Kim' });
      const { clientId } = await quiet.succeed<Client>(changer, 'addClient', {
        body: { name: 'Shop', networkWhitelist: anywhere },
      });
      await quiet.succeed(changer, 'updateClient', {
        path: { clientId },
        headers: { 'If-Match': '*' },
        body: { profile: 'countersign-without-date' },
      });
      const database = await quiet.database();
      while (await noteChanges(database, { nowMs: quiet.nowMs(), isMailed: true }));
      const sent: NoticeDigest[] = [];
      await mailDigests(database, {
        nowMs: quiet.nowMs(),
        send: (digest) => Promise.resolve(void sent.push(digest)),
        onError: (error) => assert.fail(error as Error),
      });
      assert.match(
        JSON.stringify(sent),
        /changed the signature profile of .{1,2}Shop.{1,2} to countersign-without-date\./,
      );
    });

    test('a node that is killed while it mails leaves the mail to another', async () => {
      scene.clock.aheadMs += 61 * minuteMs;
      owner = await scene.signIn(owner);
      const reader = await scene.addPerson({ role: 'viewer', name: 'Kim' });
      await invite('before@example.test');
      await mailed(reader, 1);
      // She was mailed just now, so this waits.
      await invite('during@example.test');
      await waitForNotices(scene, reader, 'team_changed', (all) =>
        all.some(({ event }) => JSON.stringify(event).includes('during@example.test')),
      );
      const database = await scene.database();
      await new Promise<void>((resolve) => {
        // Of all mails only hers is never handed over, as if its node were killed.
        void mailDigests(database, {
          nowMs: scene.nowMs() + 16 * minuteMs,
          send: ({ email }) => {
            if (email !== reader.email) return Promise.reject(new Error('not now'));
            resolve();
            return new Promise(() => undefined);
          },
          onError: () => undefined,
        });
      });
      scene.clock.aheadMs += 40 * minuteMs;
      assert.match((await mailed(reader, 2)).text, /invited during@example\.test/);
      scene.clock.aheadMs += 40 * minuteMs;
      owner = await scene.signIn(owner);
      await invite('after@example.test');
      const next = await mailed(reader, 3);
      assert.match(next.text, /Subject: 1 new notice from /);
      assert.match(next.text, /invited after@example\.test/);
    });

    test('no name reaches a header or another line, and what fails is mailed again', async () => {
      scene.clock.aheadMs += 61 * minuteMs;
      owner = await scene.signIn(owner);
      const reader = await scene.addPerson({ role: 'viewer', name: 'Eve\r\nBcc: all@example.test' });
      server.refuses = reader.email;
      const body = { name: 'Shop "Subject: x" Bcc: y', networkWhitelist: anywhere };
      const { clientId } = await scene.succeed<Client>(owner, 'addClient', { body });
      await scene.succeed(owner, 'addNetworkEntry', { path: { clientId }, body: { entry: '10.0.0.1' } });
      await waitForNotices(scene, reader, 'policy_changed', (all) =>
        all.some(({ event }) => event?.action === 'network.added'),
      );
      server.refuses = '';
      const whitelist = /changed the network whitelist of "Shop/;
      const mail = await waitFor(async () => {
        scene.clock.aheadMs += 16 * minuteMs;
        await sleep(50);
        return mailsTo(reader).find(({ text }) => whitelist.test(text));
      }, 'the mail that failed');
      assert.deepEqual(mail.to, [reader.email]);
      const [head = '', ...rest] = mail.text.split('\r\n\r\n');
      assert.doesNotMatch(head, /Bcc|Shop/);
      assert.match(rest.join('\n'), /Hello Eve Bcc: all@example\.test,/);
      assert.doesNotMatch(rest.join('\n'), /^(Bcc|Subject):/m);
    });
  });
}

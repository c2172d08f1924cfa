import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { totpCode } from './authenticator-app.ts';
import { assertRefused, type Browser } from './browser.ts';
import {
  addApp,
  goodPassword,
  openPeopleScene,
  otherPassword,
  type PeopleScene,
  tokenIn,
} from './people-scene.ts';

/* Joining an account by invitation. */

for (const backend of backends) {
  describe(`invitations, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: PeopleScene;
    let owner: Browser;
    let number = 0;
    before(async () => {
      scene = await openPeopleScene({ backend });
      owner = await scene.signedIn(await scene.addPerson({ email: 'owner@example.com', name: 'The Owner' }));
    });
    after(() => scene.close());

    const invite = async (email: string, role = 'developer'): Promise<string> => {
      const headers = { 'Countersign-Account': scene.accountId };
      scene.advance(61_000);
      await owner.post('step-up', { password: goodPassword });
      const answer = await owner.post('/v1/invitations', { email, role }, headers);
      assert.equal(answer.status, 201, answer.text);
      return /#token=([A-Za-z0-9_-]{43})$/.exec(String(answer.json()['link']))![1]!;
    };
    const someone = (): string => `invited-${(number += 1)}@example.com`;

    test('a link that nobody gave, or that is too old, opens nothing', async () => {
      const browser = scene.browser();
      const token = await invite(someone());
      assertRefused(
        await browser.post('invitation/check', { token: `${token.slice(0, -1)}_` }),
        400,
        'link_invalid',
      );
      scene.advance(7 * 86_400_000);
      assertRefused(await browser.post('invitation/check', { token }), 400, 'link_invalid');
      const accepted = { token, name: 'Late', password: goodPassword };
      assertRefused(await browser.post('invitation/accept', accepted), 400, 'link_invalid');
      owner = await scene.signedIn({
        userId: '',
        name: '',
        email: 'owner@example.com',
        password: goodPassword,
      });
    });

    test('somebody new gives a name and a password, once', async () => {
      const email = someone();
      const token = await invite(email.toUpperCase());
      const browser = scene.browser();
      assert.deepEqual((await browser.post('invitation/check', { token })).json(), {
        accountName: 'Test account',
        email,
        role: 'developer',
        inviterName: 'The Owner',
        isKnownPerson: false,
      });
      const problem = assertRefused(await browser.post('invitation/accept', { token }), 400, 'body_invalid');
      assert.deepEqual(
        (problem['errors'] as { pointer: string }[]).map(({ pointer }) => pointer),
        ['/name', '/password'],
      );
      const weak = { token, name: 'New Person', password: `${email}1234` };
      assertRefused(await browser.post('invitation/accept', weak), 400, 'password_too_weak');
      const good = { token, name: 'New Person', password: goodPassword };
      const both = await Promise.all([
        browser.post('invitation/accept', good),
        scene.browser().post('invitation/accept', good),
      ]);
      assert.equal(both.filter(({ status }) => status === 200).length, 1);
      assertRefused(await scene.browser().post('invitation/check', { token }), 400, 'link_invalid');
      const { accounts } = (await (
        await scene.signedIn({ userId: '', name: '', email, password: goodPassword })
      ).state()) as {
        accounts: { role: string }[];
      };
      assert.deepEqual(
        accounts.map(({ role }) => role),
        ['developer'],
      );
    });

    test('somebody who is known proves who it is: the link alone opens no session', async () => {
      const person = await scene.addPerson({ email: someone(), name: 'Known Person', role: 'viewer' });
      await scene.database((database) =>
        database.deleteFrom('members').where('user_id', '=', person.userId).execute(),
      );
      const token = await invite(person.email);
      const browser = scene.browser();
      assert.equal((await browser.post('invitation/check', { token })).json()['isKnownPerson'], true);
      assertRefused(await browser.post('invitation/accept', { token }), 401, 'session_required');
      // A new name and password are none of the link's business.
      const taking = { token, name: 'Somebody Else', password: otherPassword };
      assertRefused(await browser.post('invitation/accept', taking), 401, 'credentials_invalid');
      assertRefused(await owner.post('invitation/accept', { token }), 401, 'session_required');
      assert.equal(browser.cookies.size, 0);
      const accepted = await browser.post('invitation/accept', { token, password: person.password });
      assert.deepEqual(accepted.json(), { next: 'portal' });
      const state = (await browser.state()) as { person: { name: string }; accounts: { role: string }[] };
      assert.equal(state.person.name, 'Known Person');
      assert.deepEqual(
        state.accounts.map(({ role }) => role),
        ['developer'],
      );
    });

    test('somebody who is known and has a second factor gives that too, then accepts', async () => {
      const person = await scene.addPerson({ email: someone(), role: 'viewer' });
      const { secret } = await addApp(scene, await scene.signedIn(person));
      await scene.database((database) =>
        database.deleteFrom('members').where('user_id', '=', person.userId).execute(),
      );
      const token = await invite(person.email);
      const browser = scene.browser();
      const first = await browser.post('invitation/accept', { token, password: person.password });
      assert.deepEqual(first.json(), { next: 'second-factor' });
      assertRefused(await browser.post('invitation/accept', { token }), 401, 'session_required');
      scene.advance(60_000);
      await browser.post('second-factor', { code: totpCode(secret, scene.nowMs()) });
      assert.deepEqual(((await browser.state()) as { accounts: unknown[] }).accounts, []);
      assert.deepEqual((await browser.post('invitation/accept', { token })).json(), { next: 'portal' });
      assert.equal(((await browser.state()) as { accounts: unknown[] }).accounts.length, 1);
    });

    test('the mail says who invites into what, and nothing that could be taken for more', async () => {
      const email = someone();
      const token = await invite(email);
      const mail = (await scene.mails(1)).findLast((text) => text.includes(`To: ${email}\n`))!;
      assert.equal(tokenIn(mail), token);
      assert.match(mail, /^Subject: The Owner invited you to Test account$/m);
      assert.match(mail, /as developer/);
    });
  });
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { waitFor } from '@countersign/testing/wait-until';
import { isWeakPassword } from '../../src/people/identity/password-strength.ts';
import { assertRefused } from './browser.ts';
import {
  addApp,
  goodPassword,
  openPeopleScene,
  otherPassword,
  type PeopleScene,
  tokenIn,
} from './people-scene.ts';

/* Which passwords are accepted, and how to set a new one. */

describe('a new password', () => {
  const about = { email: 'lee.morgan@example.com', name: 'Lee Morgan', serviceName: 'Countersign' };
  const weak = [
    'short',
    'elevenchars',
    'password1234',
    'P@ssw0rd!P@ssw0rd!',
    'aaaaaaaaaaaaaaaa',
    'abababababababab',
    'abcdefghijklmnop',
    '123456789012345',
    'qwertyuiopasdf',
    'lee.morgan@example.com',
    'leemorgan2026',
    'Countersign2026!',
    'welcome-countersign-1',
    'correcthorsebatterystaple',
    'x'.repeat(129),
  ];
  for (const password of weak) {
    test(`is not ${password.slice(0, 30)}`, () => assert.equal(isWeakPassword(password, about), true));
  }
  const good = [
    goodPassword,
    otherPassword,
    'satf-nx93-8zhf-qrb7',
    'пароль из четырёх слов',
    'sea salt & old oak',
  ];
  for (const password of good) {
    test(`may be ${password}`, () => assert.equal(isWeakPassword(password, about), false));
  }
});

for (const backend of backends) {
  describe(`a new password by mail, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: PeopleScene;
    let number = 0;
    before(async () => {
      scene = await openPeopleScene({ backend });
    });
    after(() => scene.close());

    const newPerson = () => scene.addPerson({ email: `forgetful-${(number += 1)}@example.com` });
    const mailsTo = (email: string, count: number): Promise<string[]> =>
      waitFor(async () => {
        const mails = (await scene.mails(0)).filter((mail) => mail.startsWith(`To: ${email}\n`));
        return mails.length >= count ? mails : undefined;
      }, `mail ${count} to ${email}`);
    const askFor = async (email: string): Promise<void> => {
      const answer = await scene.browser().post('password/forgot', { email });
      assert.equal(answer.status, 202, answer.text);
      assert.equal(answer.text, '');
    };

    test('whoever asks is told the same, and only who is here gets a mail', async () => {
      const { email } = await newPerson();
      await askFor('nobody@example.com');
      await askFor(email);
      assert.equal((await mailsTo(email, 1)).length, 1);
      assert.deepEqual(await mailsTo('nobody@example.com', 0), []);
    });

    test('a link works once, for half an hour, and until the next one is asked for', async () => {
      const person = await newPerson();
      const { email } = person;
      const browser = scene.browser();
      const reset = (token: string, password = otherPassword) =>
        browser.post('password/reset', { token, password });
      assertRefused(await reset('a'.repeat(43)), 400, 'link_invalid');
      await askFor(email);
      const first = tokenIn((await mailsTo(email, 1))[0]!);
      await askFor(email);
      const second = tokenIn((await mailsTo(email, 2))[1]!);
      assertRefused(await reset(first), 400, 'link_invalid');
      // A weak password does not use it up.
      assertRefused(await reset(second, 'password1234'), 400, 'password_too_weak');
      const both = await Promise.all([reset(second), reset(second)]);
      assert.deepEqual(
        both.map(({ status }) => status).toSorted((left, right) => left - right),
        [204, 400],
      );
      assertRefused(await reset(second), 400, 'link_invalid');
      await askFor(email);
      const mails = await mailsTo(email, 4);
      const third = tokenIn(mails.findLast((mail) => mail.includes('#token='))!);
      scene.advance(30 * 60_000);
      assertRefused(await reset(third), 400, 'link_invalid');
    });

    test('it ends every session and half sign-in, and opens none: the second factor is asked for as before', async () => {
      const person = await newPerson();
      const { email } = person;
      const thief = await scene.signedIn(person);
      await addApp(scene, thief);
      const half = scene.browser();
      await half.post('sign-in', { email, password: person.password });
      await askFor(email);
      const token = tokenIn((await mailsTo(email, 2)).findLast((mail) => mail.includes('#token='))!);
      const browser = scene.browser();
      assert.equal((await browser.post('password/reset', { token, password: otherPassword })).status, 204);
      assert.equal((await browser.state())['state'], 'signed-out');
      assert.equal((await thief.state())['state'], 'signed-out');
      assert.equal((await half.state())['state'], 'signed-out');
      assertRefused(
        await browser.post('sign-in', { email, password: person.password }),
        401,
        'credentials_invalid',
      );
      const answer = await browser.post('sign-in', { email, password: otherPassword });
      assert.deepEqual(answer.json(), { next: 'second-factor' });
      const last = (await mailsTo(email, 3)).at(-1)!;
      assert.match(last, /^Subject: Your sign-in to Countersign has changed$/m);
    });

    test('it lets somebody in again whom guesses have locked out', async () => {
      const person = await newPerson();
      const { email } = person;
      for (let index = 1; index <= 5; index += 1) {
        const browser = scene.browser({ localAddress: `127.0.4.${index}` });
        await browser.post('sign-in', { email, password: `guess number ${index}` });
      }
      const browser = scene.browser();
      assertRefused(
        await browser.post('sign-in', { email, password: person.password }),
        429,
        'too_many_attempts',
      );
      await askFor(email);
      const token = tokenIn((await mailsTo(email, 1))[0]!);
      await browser.post('password/reset', { token, password: otherPassword });
      assert.equal((await browser.post('sign-in', { email, password: otherPassword })).status, 200);
    });

    test('nobody fills a mailbox: three mails, then it takes longer each time, and nobody is told', async () => {
      const { email } = await newPerson();
      for (let count = 0; count < 8; count += 1) await askFor(email);
      assert.equal((await mailsTo(email, 3)).length, 3);
      const { email: other } = await newPerson();
      const browser = scene.browser({ localAddress: '127.0.3.1' });
      const statuses = new Set<number>();
      for (let count = 0; count < 25; count += 1)
        statuses.add((await browser.post('password/forgot', { email: other })).status);
      assert.deepEqual([...statuses], [202, 429]);
      scene.advance(86_400_001);
    });

    test('a person changes it with the old one; all other sessions end', async () => {
      const person = await newPerson();
      const [browser, other] = [await scene.signedIn(person), await scene.signedIn(person)];
      const change = (currentPassword: string, newPassword: string) =>
        browser.post('profile/password', { currentPassword, newPassword });
      assertRefused(await change('not the password', otherPassword), 401, 'credentials_invalid');
      assertRefused(await change(person.password, 'forgetful password'), 400, 'password_too_weak');
      assert.equal((await change(person.password, otherPassword)).status, 204);
      assert.equal((await browser.state())['state'], 'signed-in');
      assert.equal((await other.state())['state'], 'signed-out');
      await scene.signedIn({ ...person, password: otherPassword });
    });

    test('with the old one nothing goes on: no half sign-in, no link, and no sign-in at the same time', async (t) => {
      // At the production cost, so that the sign-ins are still being checked when the password changes.
      const costly = await openPeopleScene({ backend, passwordCost: undefined });
      t.after(() => costly.close());
      const person = await costly.addPerson();
      const browser = await costly.signedIn(person);
      const { email, password } = person;
      const mailsBefore = (await costly.mails(0)).length;
      const atOnce = Array.from({ length: 8 }, () => costly.browser());
      const change = browser.post('profile/password', {
        currentPassword: password,
        newPassword: otherPassword,
      });
      await Promise.all([change, ...atOnce.map((each) => each.post('sign-in', { email, password }))]);
      assert.equal((await change).status, 204);
      for (const each of atOnce) assert.equal((await each.state())['state'], 'signed-out');

      const { recoveryCodes } = await addApp(costly, browser);
      const half = costly.browser();
      const begun = await half.post('sign-in', { email, password: otherPassword });
      assert.deepEqual(begun.json(), { next: 'second-factor' });
      // Of the change that the app is, there is a mail too, and of the new password.
      await costly.mails(mailsBefore + 2);
      await costly.browser().post('password/forgot', { email });
      const mail = (await costly.mails(mailsBefore + 3)).find(
        (text) => text.includes(`To: ${email}`) && text.includes('#token='),
      );
      const newPassword = 'hollow walnut 53 ferry';
      const again = await browser.post('profile/password', { currentPassword: otherPassword, newPassword });
      assert.equal(again.status, 204, again.text);
      assertRefused(
        await half.post('second-factor', { recoveryCode: recoveryCodes[0] }),
        401,
        'session_required',
      );
      assertRefused(
        await costly.browser().post('password/reset', { token: tokenIn(mail!), password: otherPassword }),
        400,
        'link_invalid',
      );
    });
  });
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { MemberRole } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { fromBase32, totpCode } from './authenticator-app.ts';
import { assertRefused, sessionCookie } from './browser.ts';
import { addApp, goodPassword, openPeopleScene, type PeopleScene } from './people-scene.ts';

/* Who gets in, and who doesn't. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

for (const backend of backends) {
  describe(`sign-in, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: PeopleScene;
    let number = 0;
    const newPerson = (role: MemberRole = 'owner') =>
      scene.addPerson({ email: `person-${(number += 1)}@example.com`, role });

    before(async () => {
      scene = await openPeopleScene({ backend });
    });
    after(() => scene.close());

    test('a wrong password and an unknown address are answered alike', async () => {
      const { email } = await newPerson();
      const browser = scene.browser({ localAddress: '127.0.9.1' });
      const answers = [
        await browser.post('sign-in', { email, password: 'not the password' }),
        await browser.post('sign-in', { email: 'nobody@example.com', password: 'not the password' }),
      ];
      const told = answers.map((answer) => {
        const { requestId: _, ...problem } = assertRefused(answer, 401, 'credentials_invalid');
        const { date: _date, 'request-id': _id, ...headers } = answer.headers;
        return { problem, headers };
      });
      assert.deepEqual(told[0], told[1]);
      assert.equal(browser.cookies.size, 0);
    });

    test('guessing a password: after five the person waits, and waits longer each time, whoever guesses', async () => {
      const person = await newPerson();
      const other = await scene.signedIn(person);
      const guess = (index: number) =>
        scene
          .browser({ localAddress: `127.0.8.${index}` })
          .post('sign-in', { email: person.email.toUpperCase(), password: `guess number ${index}` });
      for (let index = 1; index <= 5; index += 1)
        assertRefused(await guess(index), 401, 'credentials_invalid');
      const waits: number[] = [];
      for (let index = 6; index <= 9; index += 1) {
        const refused = await guess(index);
        assertRefused(refused, 429, 'too_many_attempts');
        const seconds = Number(refused.headers['retry-after']);
        waits.push(seconds);
        scene.advance(seconds * 1000 + 1);
        assertRefused(await guess(index), 401, 'credentials_invalid');
      }
      assert.deepEqual(
        waits.map((seconds, index) => seconds > 30 * 2 ** index - 5 && seconds <= 30 * 2 ** index),
        [true, true, true, true],
        String(waits),
      );
      // The right password is not looked at either, so nobody learns that it is right.
      assertRefused(await scene.browser().post('sign-in', person), 400, 'body_invalid');
      const { email, password } = person;
      assertRefused(await scene.browser().post('sign-in', { email, password }), 429, 'too_many_attempts');
      // A session continues meanwhile.
      assert.equal((await other.state())['state'], 'signed-in');
      scene.advance(hourMs);
      const answer = await scene.browser().post('sign-in', { email, password });
      assert.equal(answer.status, 200, answer.text);
      // It is all forgotten then.
      assertRefused(await guess(10), 401, 'credentials_invalid');
      assertRefused(await guess(11), 401, 'credentials_invalid');
    });

    test('many guesses at once are not more than one after the other', async () => {
      const { email } = await newPerson();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          scene
            .browser({ localAddress: `127.0.7.${index + 1}` })
            .post('sign-in', { email, password: `guess number ${index}` }),
        ),
      );
      const looked = answers.filter(({ status }) => status === 401);
      assert.equal(looked.length, 5);
    });

    test('guessing of anything from one address: the address waits, others do not', async () => {
      const browser = scene.browser({ localAddress: '127.0.6.1' });
      for (let index = 0; index < 49; index += 1) {
        const guessed = { token: `a guess ${index}`, password: goodPassword };
        assertRefused(await browser.post('password/reset', guessed), 400, 'link_invalid');
      }
      const unknown = { email: 'somebody@example.com', password: goodPassword };
      assertRefused(await browser.post('sign-in', unknown), 401, 'credentials_invalid');
      const person = await newPerson();
      const { email, password } = person;
      assertRefused(await browser.post('sign-in', { email, password }), 429, 'too_many_attempts');
      await scene.signedIn(person, { localAddress: '127.0.6.2' });
    });

    test('a session gets a new token: what somebody knew before is worth nothing', async () => {
      const mallory = await scene.signedIn(await newPerson());
      const planted = mallory.cookies.get(sessionCookie)!;
      const person = await newPerson();
      const victim = scene.browser();
      victim.cookies.set(sessionCookie, planted);
      const { email, password } = person;
      assert.equal((await victim.post('sign-in', { email, password })).status, 200);
      assert.notEqual(victim.cookies.get(sessionCookie), planted);
      assert.equal((await mallory.state())['state'], 'signed-out');
      const state = await victim.state();
      assert.equal((state['person'] as { email: string }).email, person.email);
    });

    test('with a second factor the password alone opens nothing, and the token changes again', async () => {
      const person = await newPerson();
      const first = await scene.signedIn(person);
      const { secret } = await addApp(scene, first);
      const browser = scene.browser();
      const { email, password } = person;
      assert.deepEqual((await browser.post('sign-in', { email, password })).json(), {
        next: 'second-factor',
      });
      assert.equal(browser.cookies.has(sessionCookie), false);
      const state = await browser.state();
      assert.equal(state['state'], 'second-factor');
      assert.deepEqual(state['methods'], ['totp', 'recovery-code']);
      assert.equal(state['person'], undefined);
      assertRefused(await browser.get('profile'), 401, 'session_required');
      // The token of the half sign-in is none of a session.
      const half = [...browser.cookies.values()][0]!;
      const forged = scene.browser();
      forged.cookies.set(sessionCookie, half);
      assert.equal((await forged.state())['state'], 'signed-out');
      assertRefused(await forged.get('profile'), 401, 'session_required');
      scene.advance(30_000);
      const done = await browser.post('second-factor', { code: totpCode(secret, scene.nowMs()) });
      assert.deepEqual(done.json(), { next: 'portal' });
      assert.notEqual(browser.cookies.get(sessionCookie), half);
      // It is ended with the first right code: nobody comes a second time.
      const late = scene.browser();
      late.cookies.set('__Host-countersign-sign-in', half);
      scene.advance(30_000);
      const again = await late.post('second-factor', { code: totpCode(secret, scene.nowMs()) });
      assertRefused(again, 401, 'session_required');
    });

    test('a code is used once, in whatever sign-in, and none before it is taken afterwards', async () => {
      const person = await newPerson();
      const { secret, code: added } = await addApp(scene, await scene.signedIn(person));
      const { email, password } = person;
      const signInWith = async (code: string) => {
        const browser = scene.browser();
        assert.equal((await browser.post('sign-in', { email, password })).status, 200);
        return browser.post('second-factor', { code });
      };
      // The code that added the app is used.
      assertRefused(await signInWith(added), 401, 'second_factor_invalid');
      scene.advance(60_000);
      const code = totpCode(secret, scene.nowMs());
      assert.equal((await signInWith(code)).status, 200);
      assertRefused(await signInWith(code), 401, 'second_factor_invalid');
      const earlier = totpCode(secret, scene.nowMs() - 30_000);
      assertRefused(await signInWith(earlier), 401, 'second_factor_invalid');
      scene.advance(30_000);
      const next = totpCode(secret, scene.nowMs());
      const both = await Promise.all([signInWith(next), signInWith(next)]);
      assert.deepEqual(
        both.map(({ status }) => status).toSorted((left, right) => left - right),
        [200, 401],
      );
    });

    test('guessing codes: a right password in between does not begin anew', async () => {
      const person = await newPerson();
      const { secret } = await addApp(scene, await scene.signedIn(person));
      const { email, password } = person;
      let refusals = 0;
      for (let index = 0; index < 8; index += 1) {
        const browser = scene.browser({ localAddress: `127.0.5.${index + 1}` });
        const first = await browser.post('sign-in', { email, password });
        assert.deepEqual(first.json(), { next: 'second-factor' });
        const second = await browser.post('second-factor', { code: '000000' });
        if (second.status === 429) refusals += 1;
        else assertRefused(second, 401, 'second_factor_invalid');
      }
      assert.equal(refusals, 3);
      scene.advance(hourMs);
      const browser = scene.browser();
      await browser.post('sign-in', { email, password });
      assert.equal(
        (await browser.post('second-factor', { code: totpCode(secret, scene.nowMs()) })).status,
        200,
      );
    });

    test('a recovery code works once, with or without its hyphens', async () => {
      const person = await newPerson();
      const { recoveryCodes } = await addApp(scene, await scene.signedIn(person));
      assert.equal(new Set(recoveryCodes).size, 10);
      const { email, password } = person;
      const signInWith = async (recoveryCode: string) => {
        const browser = scene.browser();
        await browser.post('sign-in', { email, password });
        return { answer: await browser.post('second-factor', { recoveryCode }), browser };
      };
      const { answer, browser } = await signInWith(recoveryCodes[0]!.replaceAll('-', '').toUpperCase());
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await browser.get('profile')).json()['recoveryCodesLeft'], 9);
      assertRefused((await signInWith(recoveryCodes[0]!)).answer, 401, 'second_factor_invalid');
      await scene.database(async (database) => {
        const rows = await database.selectFrom('person_recovery_codes').selectAll().execute();
        assert.equal(
          rows.some((row) => recoveryCodes.includes(row.code_hash)),
          false,
        );
      });
    });

    test('a sign-in waits ten minutes for its second factor, and not longer', async () => {
      const person = await newPerson();
      const { secret } = await addApp(scene, await scene.signedIn(person));
      const { email, password } = person;
      const browser = scene.browser();
      await browser.post('sign-in', { email, password });
      scene.advance(10 * minuteMs);
      const late = await browser.post('second-factor', { code: totpCode(secret, scene.nowMs()) });
      assertRefused(late, 401, 'session_required');
    });

    test('a session ends by sign-out, after twelve idle hours, and after a week', async () => {
      const person = await newPerson('admin');
      const browser = await scene.signedIn(person);
      const token = browser.cookies.get(sessionCookie)!;
      assert.equal((await browser.post('sign-out')).status, 204);
      assert.deepEqual([...browser.cookies.keys()], ['__Host-countersign-browser']);
      browser.cookies.set(sessionCookie, token);
      assert.equal((await browser.state())['state'], 'signed-out');

      const idle = await scene.signedIn(person);
      const busy = await scene.signedIn(person);
      for (let hours = 0; hours < 160; hours += 11) {
        scene.advance(11 * hourMs);
        assert.equal((await busy.post('activity')).status, 204);
      }
      assert.equal((await idle.state())['state'], 'signed-out');
      scene.advance(3 * hourMs);
      assert.equal((await busy.state())['state'], 'signed-out');
      assertRefused(await busy.get('profile'), 401, 'session_required');
    });

    test('a session ends after twelve hours in which nobody did anything, whatever the open page asks', async () => {
      const person = await newPerson('admin');
      const browser = await scene.signedIn(person);
      const headers = { 'Countersign-Account': scene.accountId };
      const minutes = 12 * 60;
      for (let passed = 0; passed < minutes; passed += 30) {
        assert.equal((await browser.state())['state'], 'signed-in');
        for (const path of ['profile', '/v1/clients', '/v1/requests', '/v1/service-health'])
          await browser.get(path, headers);
        scene.advance(30 * minuteMs);
      }
      assert.equal((await browser.state())['state'], 'signed-out');
      assertRefused(await browser.get('/v1/clients', headers), 401, 'session_required');
      assertRefused(await browser.post('activity'), 401, 'session_required');
    });

    test('a session that is revoked ends at once; nobody ends that of another person', async () => {
      const person = await newPerson();
      const [first, second] = [await scene.signedIn(person), await scene.signedIn(person)];
      const other = await scene.signedIn(await newPerson());
      const { sessions } = (await first.get('profile')).json() as {
        sessions: { sessionId: string; isCurrent: boolean; sourceAddress: string }[];
      };
      assert.equal(sessions.length, 2);
      assert.equal(sessions[0]!.sourceAddress, '127.0.0.1');
      const theirs = sessions.find(({ isCurrent }) => !isCurrent)!.sessionId;
      assertRefused(await other.request('DELETE', `profile/sessions/${theirs}`), 404, 'not_found');
      assert.equal((await first.request('DELETE', `profile/sessions/${theirs}`)).status, 204);
      assert.equal((await second.state())['state'], 'signed-out');
      const third = await scene.signedIn(person);
      assert.equal((await first.request('DELETE', 'profile/sessions')).status, 204);
      assert.equal((await third.state())['state'], 'signed-out');
      assert.equal((await first.state())['state'], 'signed-in');
    });

    test('of tokens, passwords and codes nothing stands in the database', async () => {
      const person = await newPerson();
      const browser = await scene.signedIn(person);
      const { secret } = await addApp(scene, browser);
      const kept = await scene.database(async (database) => {
        const tables = [
          await database.selectFrom('person_sessions').selectAll().execute(),
          await database.selectFrom('person_credentials').selectAll().execute(),
          await database.selectFrom('person_second_factors').selectAll().execute(),
          await database.selectFrom('sign_in_failures').selectAll().execute(),
        ];
        return JSON.stringify(tables);
      });
      const raw = fromBase32(secret).toString('latin1');
      const secrets = [
        browser.cookies.get(sessionCookie)!,
        person.password,
        secret,
        raw.slice(0, 16),
        person.email,
      ];
      for (const one of secrets) assert.equal(kept.includes(one), false, one);
      assert.match(kept, /\$argon2id\$v=19\$/);
    });
  });
}

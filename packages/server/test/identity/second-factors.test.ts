import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { baseUrl } from '@countersign/testing/running-service';
import { waitFor } from '@countersign/testing/wait-until';
import { Authenticator } from './authenticator.ts';
import { totpCode } from './authenticator-app.ts';
import { assertRefused, type Browser, sessionCookie } from './browser.ts';
import {
  addApp,
  addPasskey,
  goodPassword,
  openPeopleScene,
  otherPassword,
  type PeopleScene,
  tokenIn,
} from './people-scene.ts';

/* Authenticator apps, recovery codes and passkeys, and the fresh proofs that changing them requires. */

const minuteMs = 60_000;

for (const backend of backends) {
  describe(`second factors, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: PeopleScene;
    let number = 0;
    before(async () => {
      scene = await openPeopleScene({ backend });
    });
    after(() => scene.close());
    const newPerson = () => scene.addPerson({ email: `careful-${(number += 1)}@example.com` });
    const profileOf = async (browser: Browser) =>
      (await browser.get('profile')).json() as {
        hasTotp: boolean;
        recoveryCodesLeft: number;
        passkeys: { passkeyId: string; name: string; lastUsedAt?: string }[];
      };

    test('they are changed only within ten minutes of a proof', async () => {
      const browser = await scene.signedIn(await newPerson());
      scene.advance(10 * minuteMs + 1);
      const acts: [string, string][] = [
        ['POST', 'profile/totp'],
        ['DELETE', 'profile/totp'],
        ['POST', 'profile/recovery-codes'],
        ['POST', 'profile/passkeys/options'],
        ['DELETE', 'profile/passkeys/passkey_00000000000000000000000000'],
      ];
      for (const [method, path] of acts) {
        const answer = await browser.request(method, path, method === 'POST' ? {} : undefined);
        const problem = assertRefused(answer, 403, 'step_up_required');
        assert.deepEqual(problem['methods'], ['password']);
      }
      assertRefused(
        await browser.post('step-up', { password: 'not the password' }),
        401,
        'credentials_invalid',
      );
      assertRefused(await browser.post('profile/totp'), 403, 'step_up_required');
      const askedMs = scene.nowMs();
      const proved = await browser.post('step-up', { password: goodPassword });
      assert.equal(proved.status, 200, proved.text);
      const provedMs = Date.parse(String(proved.json()['provedUntil'])) - 10 * minuteMs;
      assert.ok(provedMs >= askedMs - 1000 && provedMs <= scene.nowMs() + 1000, proved.text);
      assert.equal((await browser.post('profile/totp')).status, 200);
    });

    test('whoever has one gives that: the password alone is no fresh proof any more', async () => {
      const person = await newPerson();
      const browser = await scene.signedIn(person);
      const other = await scene.signedIn(person);
      const { secret, recoveryCodes } = await addApp(scene, browser);
      // A session that has never given the new factor has to, however young it is.
      assertRefused(await other.post('profile/totp'), 403, 'step_up_required');
      scene.advance(11 * minuteMs);
      const refused = await browser.post('step-up', { password: person.password });
      const problem = assertRefused(refused, 403, 'step_up_required');
      assert.deepEqual(problem['methods'], ['totp', 'recovery-code']);
      assertRefused(
        await browser.post('profile/password', {
          currentPassword: person.password,
          newPassword: 'quite another 3 things',
        }),
        403,
        'step_up_required',
      );
      assertRefused(await browser.post('step-up', { code: '123456' }), 401, 'second_factor_invalid');
      const code = totpCode(secret, scene.nowMs());
      assert.equal((await browser.post('step-up', { code })).status, 200);
      assertRefused(await other.post('step-up', { code }), 401, 'second_factor_invalid');
      assert.equal((await other.post('step-up', { recoveryCode: recoveryCodes[3] })).status, 200);
      assertRefused(
        await other.post('step-up', { recoveryCode: recoveryCodes[3] }),
        401,
        'second_factor_invalid',
      );
      assert.equal((await other.post('profile/totp')).status, 200);
    });

    test('guessing codes in a session is limited as at the sign-in', async () => {
      const person = await newPerson();
      const browser = await scene.signedIn(person);
      await addApp(scene, browser);
      for (let index = 0; index < 5; index += 1)
        assertRefused(await browser.post('step-up', { code: '000000' }), 401, 'second_factor_invalid');
      assertRefused(await browser.post('step-up', { code: '000000' }), 429, 'too_many_attempts');
      assertRefused(await browser.post('step-up', { recoveryCode: 'x' }), 429, 'too_many_attempts');
      assert.equal((await browser.get('profile')).status, 200);
    });

    test('strangers who guess keep nobody who is signed in from a fresh proof', async () => {
      const person = await newPerson();
      const browser = await scene.signedIn(person);
      const stranger = scene.browser({ localAddress: '127.0.0.9' });
      const { email, password } = person;
      for (let index = 0; index < 5; index += 1)
        await stranger.post('sign-in', { email, password: `guess ${index}` });
      assertRefused(await stranger.post('sign-in', { email, password }), 429, 'too_many_attempts');
      assert.equal((await browser.post('step-up', { password })).status, 200);
    });

    describe('guesses at the sign-in', () => {
      /** A person with an app, who gives the password in browsers that have never seen them. */
      const careful = async () => {
        const person = await newPerson();
        const { email, password } = person;
        const { secret } = await addApp(scene, await scene.signedIn(person));
        const afterPassword = async (given = password): Promise<Browser> => {
          const browser = scene.browser();
          const answer = await browser.post('sign-in', { email, password: given });
          assert.deepEqual(answer.json(), { next: 'second-factor' });
          return browser;
        };
        return { email, secret, afterPassword };
      };
      const wrong = { code: '000000' };
      const guessFive = async (browser: Browser): Promise<void> => {
        for (let index = 0; index < 5; index += 1)
          assertRefused(await browser.post('second-factor', wrong), 401, 'second_factor_invalid');
        assertRefused(await browser.post('second-factor', wrong), 429, 'too_many_attempts');
      };
      const nextCode = (secret: string) => ({ code: totpCode(secret, scene.nowMs() + 30_000) });

      test('of passwords by strangers keep nobody from the code in a new browser', async () => {
        const { email, secret, afterPassword } = await careful();
        const browser = await afterPassword();
        const stranger = scene.browser({ localAddress: '127.0.0.9' });
        for (let index = 0; index < 5; index += 1)
          assertRefused(
            await stranger.post('sign-in', { email, password: `guess ${index}` }),
            401,
            'credentials_invalid',
          );
        assertRefused(await stranger.post('sign-in', { email, password: 'x' }), 429, 'too_many_attempts');
        const answer = await browser.post('second-factor', nextCode(secret));
        assert.deepEqual(answer.json(), { next: 'portal' });
      });

      test('of codes in one new browser count in every other, until a sign-in there is complete', async () => {
        const { secret, afterPassword } = await careful();
        await guessFive(await afterPassword());
        const other = await afterPassword();
        assertRefused(await other.post('second-factor', nextCode(secret)), 429, 'too_many_attempts');
        scene.advance(31_000);
        assert.equal((await other.post('second-factor', nextCode(secret))).status, 200);
        await guessFive(await afterPassword());
      });

      test('of codes stay counted after a new password by mail', async () => {
        const { email, secret, afterPassword } = await careful();
        await guessFive(await afterPassword());
        const browser = scene.browser();
        await browser.post('password/forgot', { email });
        const mail = await waitFor(
          async () =>
            (await scene.mails(1)).find(
              (text) => text.startsWith(`To: ${email}\n`) && text.includes('#token='),
            ),
          `the mail to ${email}`,
        );
        const reset = { token: tokenIn(mail), password: otherPassword };
        assert.equal((await browser.post('password/reset', reset)).status, 204);
        const again = await afterPassword(otherPassword);
        assertRefused(await again.post('second-factor', nextCode(secret)), 429, 'too_many_attempts');
      });

      test('of codes are at most 35 on the first day, and 25 on the next', async () => {
        const { afterPassword } = await careful();
        const guessesUntil = async (endMs: number): Promise<number> => {
          let guesses = 0;
          while (scene.nowMs() < endMs) {
            const answer = await (await afterPassword()).post('second-factor', wrong);
            if (answer.status === 401) guesses += 1;
            else scene.advance(Number(answer.headers['retry-after']) * 1000);
          }
          return guesses;
        };
        const startMs = scene.nowMs();
        const dayMs = 24 * 60 * minuteMs;
        const first = await guessesUntil(startMs + dayMs);
        assert.ok(first > 20 && first <= 35, String(first));
        const second = await guessesUntil(startMs + 2 * dayMs);
        assert.ok(second > 20 && second <= 25, String(second));
      });
    });

    test('an app counts only after its first code; a new one replaces the old one then', async () => {
      const person = await newPerson();
      const browser = await scene.signedIn(person);
      assertRefused(await browser.post('profile/totp/confirm', { code: '123456' }), 400, 'link_invalid');
      const first = (await browser.post('profile/totp')).json() as { secret: string; otpauthUrl: string };
      assert.match(
        first.otpauthUrl,
        new RegExp(
          `^otpauth://totp/Countersign:careful-\\d+%40example\\.com\\?secret=${first.secret}&issuer=Countersign`,
        ),
      );
      assertRefused(
        await browser.post('profile/totp/confirm', { code: '000000' }),
        401,
        'second_factor_invalid',
      );
      assert.equal((await profileOf(browser)).hasTotp, false);
      const second = (await browser.post('profile/totp')).json() as { secret: string };
      const old = { code: totpCode(first.secret, scene.nowMs()) };
      assertRefused(await browser.post('profile/totp/confirm', old), 401, 'second_factor_invalid');
      const confirmed = await browser.post('profile/totp/confirm', {
        code: totpCode(second.secret, scene.nowMs()),
      });
      assert.equal((confirmed.json()['recoveryCodes'] as string[]).length, 10);
      assert.equal((await profileOf(browser)).hasTotp, true);
    });

    test('new recovery codes end the old ones; without a second factor there are none', async () => {
      const person = await newPerson();
      const browser = await scene.signedIn(person);
      assertRefused(await browser.post('profile/recovery-codes'), 403, 'second_factor_required');
      const { recoveryCodes } = await addApp(scene, browser);
      const renewed = (await browser.post('profile/recovery-codes')).json()['recoveryCodes'] as string[];
      assert.equal(new Set([...recoveryCodes, ...renewed]).size, 20);
      assertRefused(
        await browser.post('step-up', { recoveryCode: recoveryCodes[0] }),
        401,
        'second_factor_invalid',
      );
      assert.equal((await browser.post('step-up', { recoveryCode: renewed[0] })).status, 200);
      assert.equal((await browser.request('DELETE', 'profile/totp')).status, 204);
      const profile = await profileOf(browser);
      assert.deepEqual([profile.hasTotp, profile.recoveryCodesLeft], [false, 0]);
      // The password is enough again.
      await scene.signedIn(person);
    });

    test('a passkey signs in alone, with a new token', async () => {
      const person = await newPerson();
      const passkey = await addPasskey(await scene.signedIn(person), baseUrl);
      const browser = scene.browser();
      const options = (await browser.post('passkey/options')).json();
      assert.equal(options['rpId'], 'api.example.test');
      assert.equal(options['userVerification'], 'required');
      assert.deepEqual(options['allowCredentials'] ?? [], []);
      const answer = await browser.post('passkey/sign-in', { response: passkey.prove(options, baseUrl) });
      assert.deepEqual(answer.json(), { next: 'portal' });
      const profile = await profileOf(browser);
      assert.equal(profile.passkeys.length, 1);
      assert.ok(profile.passkeys[0]!.lastUsedAt);
      // It counts as a fresh proof.
      assert.equal((await browser.post('profile/totp')).status, 200);
    });

    test('a passkey is refused that is not this one, for this page, for this challenge, with its owner asked', async () => {
      const person = await newPerson();
      const passkey = await addPasskey(await scene.signedIn(person), baseUrl);
      const refused = async (
        response: (options: Record<string, unknown>) => Record<string, unknown>,
        browser = scene.browser(),
      ): Promise<void> => {
        const options = (await browser.post('passkey/options')).json();
        const answer = await browser.post('passkey/sign-in', { response: response(options) });
        assertRefused(answer, 401, 'second_factor_invalid');
        assert.equal(browser.cookies.has(sessionCookie), false);
      };
      await refused((options) => passkey.prove(options, 'https://evil.example'));
      await refused((options) => passkey.prove({ ...options, rpId: 'evil.example' }, baseUrl));
      await refused((options) =>
        passkey.prove({ ...options, challenge: 'bm90IHRoZSBjaGFsbGVuZ2U' }, baseUrl),
      );
      await refused((options) => new Authenticator().prove(options, baseUrl));
      await refused((options) => ({
        ...new Authenticator().prove(options, baseUrl),
        id: passkey.id,
        rawId: passkey.id,
      }));
      await refused((options) => ({ ...passkey.prove(options, baseUrl), id: { $ne: '' } }));
      await refused(() => ({}));
      // A person who has found the key, but is not its owner.
      passkey.isUserVerified = false;
      await refused((options) => passkey.prove(options, baseUrl));
      passkey.isUserVerified = true;
      // A challenge is answered once, and in the browser that it was given to.
      const [browser, other] = [scene.browser(), scene.browser()];
      const options = (await browser.post('passkey/options')).json();
      const challenge = new Map(browser.cookies);
      const response = passkey.prove(options, baseUrl);
      assertRefused(await other.post('passkey/sign-in', { response }), 401, 'second_factor_invalid');
      assert.equal((await browser.post('passkey/sign-in', { response })).status, 200);
      for (const [name, value] of challenge) other.cookies.set(name, value);
      assertRefused(await other.post('passkey/sign-in', { response }), 401, 'second_factor_invalid');
    });

    test('who has only a passkey gives it after the password; and it is a fresh proof of its owner only', async () => {
      const [person, stranger] = [await newPerson(), await newPerson()];
      const first = await scene.signedIn(person);
      const passkey = await addPasskey(first, baseUrl);
      const foreign = await addPasskey(await scene.signedIn(stranger), baseUrl);
      const browser = scene.browser();
      const { email, password } = person;
      assert.deepEqual((await browser.post('sign-in', { email, password })).json(), {
        next: 'second-factor',
      });
      assert.deepEqual((await browser.state())['methods'], ['passkey']);
      const options = (await browser.post('passkey/options')).json();
      const answer = await browser.post('passkey/sign-in', { response: passkey.prove(options, baseUrl) });
      assert.equal(answer.status, 200, answer.text);
      scene.advance(11 * minuteMs);
      assertRefused(await browser.post('profile/totp'), 403, 'step_up_required');
      const stepUp = async (with_: Authenticator) => {
        const asked = (await browser.post('step-up/options')).json();
        assert.deepEqual(asked['allowCredentials'], [{ type: 'public-key', id: passkey.id }]);
        return browser.post('step-up', { passkey: with_.prove(asked, baseUrl) });
      };
      assertRefused(await stepUp(foreign), 401, 'second_factor_invalid');
      assert.equal((await stepUp(passkey)).status, 200);
      assert.equal((await browser.post('profile/totp')).status, 200);
    });

    test('a passkey is registered only for who has asked, with its owner verified', async () => {
      const [one, two] = [await scene.signedIn(await newPerson()), await scene.signedIn(await newPerson())];
      const options = (await one.post('profile/passkeys/options')).json();
      const { user, rp } = options as { user: { name: string }; rp: { id: string } };
      assert.match(user.name, /^careful-\d+@example\.com$/);
      assert.equal(rp.id, 'api.example.test');
      // The challenge of one, with the session of another.
      const passkey = new Authenticator();
      two.cookies.set('__Host-countersign-passkey', one.cookies.get('__Host-countersign-passkey')!);
      const response = passkey.register(options, baseUrl);
      assertRefused(
        await two.post('profile/passkeys', { name: 'Theirs', response }),
        401,
        'second_factor_invalid',
      );
      assert.equal((await profileOf(two)).passkeys.length, 0);
      const unverified = new Authenticator();
      unverified.isUserVerified = false;
      const asked = (await one.post('profile/passkeys/options')).json();
      const weak = { name: 'Weak', response: unverified.register(asked, baseUrl) };
      assertRefused(await one.post('profile/passkeys', weak), 401, 'second_factor_invalid');
      const again = {
        name: 'Elsewhere',
        response: passkey.register(
          (await one.post('profile/passkeys/options')).json(),
          'https://evil.example',
        ),
      };
      assertRefused(await one.post('profile/passkeys', again), 401, 'second_factor_invalid');
      assert.equal((await profileOf(one)).passkeys.length, 0);
    });

    test('a passkey is removed by its owner alone', async () => {
      const [one, two] = [await scene.signedIn(await newPerson()), await scene.signedIn(await newPerson())];
      await addPasskey(one, baseUrl, 'Blue key');
      const { passkeys } = await profileOf(one);
      assert.equal(passkeys[0]!.name, 'Blue key');
      const path = `profile/passkeys/${passkeys[0]!.passkeyId}`;
      assertRefused(await two.request('DELETE', path), 404, 'not_found');
      assert.equal((await one.request('DELETE', path)).status, 204);
      assert.deepEqual((await profileOf(one)).passkeys, []);
    });
  });
}

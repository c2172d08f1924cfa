import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { baseUrl } from '@countersign/testing/running-service';
import { totpCode } from './authenticator-app.ts';
import { assertRefused, type Browser } from './browser.ts';
import {
  addApp,
  addPasskey,
  openPeopleScene,
  otherPassword,
  type PeopleScene,
  type TestPerson,
} from './people-scene.ts';

/* Strangers who guess passwords must not lock people out of browsers in which they have signed in before. */

const cookie = '__Host-countersign-browser';

for (const backend of backends) {
  describe(`a browser in which somebody has signed in, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: PeopleScene;
    let person: TestPerson;
    let number = 0;
    before(async () => {
      scene = await openPeopleScene({ backend });
    });
    after(() => scene.close());
    beforeEach(async () => {
      number += 1;
      person = await scene.addPerson({ email: `person-${number}@example.com` });
    });

    const signIn = (browser: Browser, password = person.password) =>
      browser.post('sign-in', { email: person.email, password });
    /** Guesses as a stranger until the person has to wait. */
    const guessAsStrangers = async (times = 5): Promise<void> => {
      for (let index = 0; index < times; index += 1) {
        const stranger = scene.browser({ localAddress: `127.0.${7 + (number % 200)}.${index + 1}` });
        assertRefused(await signIn(stranger, `guess number ${index}`), 401, 'credentials_invalid');
      }
      assertRefused(await signIn(scene.browser()), 429, 'too_many_attempts');
    };
    const knownBrowser = async (): Promise<Browser> => {
      const browser = await scene.signedIn(person);
      await browser.post('sign-out');
      return browser;
    };

    test('is not kept waiting by strangers, with a second factor neither', async () => {
      const known = await knownBrowser();
      await guessAsStrangers();
      assert.deepEqual((await signIn(known)).json(), { next: 'portal' });
      const { secret } = await addApp(scene, known);
      await known.post('sign-out');
      assertRefused(await signIn(scene.browser()), 429, 'too_many_attempts');
      assert.deepEqual((await signIn(known)).json(), { next: 'second-factor' });
      scene.advance(30_000 - 1000);
      const code = totpCode(secret, scene.nowMs() + 30_000);
      assert.deepEqual((await known.post('second-factor', { code })).json(), { next: 'portal' });
    });

    test('is not kept waiting by fifty wrong links from its own address, nor are open sessions and passkeys', async () => {
      const localAddress = `127.0.5.${number}`;
      const open = await scene.signedIn(person, { localAddress });
      const owner = await scene.addPerson({ email: `passkey-${number}@example.com` });
      const passkey = await addPasskey(await scene.signedIn(owner), baseUrl);
      const known = await scene.signedIn(person, { localAddress });
      await known.post('sign-out');
      const stranger = scene.browser({ localAddress });
      for (let index = 0; index < 50; index += 1) {
        const guessed = { token: `a guess ${index}`, password: otherPassword };
        assertRefused(await stranger.post('password/reset', guessed), 400, 'link_invalid');
      }
      assertRefused(await signIn(stranger), 429, 'too_many_attempts');
      assert.deepEqual((await signIn(known)).json(), { next: 'portal' });
      assert.equal((await open.post('step-up', { password: person.password })).status, 200);
      const options = (await stranger.post('passkey/options')).json();
      const answer = await stranger.post('passkey/sign-in', { response: passkey.prove(options, baseUrl) });
      assert.equal(answer.status, 200, answer.text);
    });

    test('does not begin anew what strangers have to wait', async () => {
      const known = await knownBrowser();
      await guessAsStrangers();
      assert.equal((await signIn(known)).status, 200);
      assertRefused(await signIn(scene.browser(), 'one more guess'), 429, 'too_many_attempts');
    });

    test('guesses no more often than strangers, and keeps nobody else waiting', async () => {
      const known = await knownBrowser();
      const other = await knownBrowser();
      for (let index = 0; index < 5; index += 1)
        assertRefused(await signIn(known, `guess number ${index}`), 401, 'credentials_invalid');
      assertRefused(await signIn(known), 429, 'too_many_attempts');
      assert.equal((await signIn(other)).status, 200);
      assert.equal((await signIn(scene.browser())).status, 200);
      assertRefused(await signIn(known), 429, 'too_many_attempts');
      scene.advance(31_000);
      assert.equal((await signIn(known)).status, 200);
    });

    test('is a stranger with another cookie than its own', async () => {
      const known = await knownBrowser();
      const value = known.cookies.get(cookie)!;
      const own = person;
      person = await scene.addPerson({ email: `mallory-${number}@example.com` });
      const ofMallory = (await knownBrowser()).cookies.get(cookie)!;
      person = own;
      await guessAsStrangers();
      const [browser = '', expires = '', proof = ''] = value.split('.');
      for (const forged of [
        ofMallory,
        `${browser}.${expires}`,
        `${browser}.${Number(expires) + 1}.${proof}`,
        `${browser}.${expires}.${proof.startsWith('A') ? 'B' : 'A'}${proof.slice(1)}`,
        `${ofMallory.split('.')[0]}.${expires}.${proof}`,
        `${browser}.${expires}.`,
        '',
      ]) {
        const forger = scene.browser();
        forger.cookies.set(cookie, forged);
        assertRefused(await signIn(forger), 429, 'too_many_attempts');
      }
      assert.equal((await signIn(known)).status, 200);
    });

    test('is a stranger after a new password', async () => {
      const known = await knownBrowser();
      const session = await scene.signedIn(person);
      const change = { currentPassword: person.password, newPassword: otherPassword };
      assert.equal((await session.post('profile/password', change)).status, 204);
      person = { ...person, password: otherPassword };
      await guessAsStrangers();
      assertRefused(await signIn(known), 429, 'too_many_attempts');
      assert.equal((await signIn(session)).status, 200, 'where it was changed, nothing is strange');
    });

    test('is a stranger after half a year', async () => {
      const known = await knownBrowser();
      scene.advance(180 * 86_400_000);
      await guessAsStrangers();
      assertRefused(await signIn(known), 429, 'too_many_attempts');
    });
  });
}

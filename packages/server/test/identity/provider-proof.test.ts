import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import { totpCode } from './authenticator-app.ts';
import { assertRefused, type Browser, sessionCookie } from './browser.ts';
import { type OpenIdProvider, runOpenIdProvider } from './openid-provider.ts';
import { addApp, openPeopleScene, type PeopleScene, proveEmail, type TestPerson } from './people-scene.ts';
import { comeBack, providerSettings, refusal, signInVia, start } from './provider-sign-in.ts';

/* How fresh the identity provider's proofs are: it may have authenticated the person long ago. */

describe('a proof by the identity provider', () => {
  let provider: OpenIdProvider;
  let scene: PeopleScene;
  let person: TestPerson;
  let number = 0;
  let roles = 0;
  before(async () => {
    provider = await runOpenIdProvider();
    scene = await openPeopleScene({ environment: providerSettings(provider.issuer) });
  });
  after(async () => {
    await scene.close();
    await provider.close();
  });
  beforeEach(async () => {
    number += 1;
    person = await scene.addPerson({ email: `worker-${number}@example.com` });
    provider.claims = { sub: `subject-${number}`, email: person.email, email_verified: true };
  });

  /** When the provider authenticated the person, in seconds. */
  const askedAgo = (seconds: number): number => Math.floor(scene.nowMs() / 1000) - seconds;
  const authenticated = (authTime: unknown): void => {
    provider.claims = { ...provider.claims, auth_time: authTime };
  };
  /** Signs in a person who has nothing but the provider. */
  const signedIn = async (): Promise<Browser> => {
    const browser = scene.browser();
    await signInVia(provider, browser);
    assert.equal((await browser.state())['state'], 'signed-in');
    return browser;
  };
  const change = (browser: Browser): Promise<Answer> =>
    browser.post(
      '/v1/roles',
      { name: `role-${(roles += 1)}`, permissions: ['keys:read'] },
      { 'Countersign-Account': scene.accountId },
    );
  const assertNotFresh = async (browser: Browser): Promise<void> => {
    const { methods } = assertRefused(await change(browser), 403, 'step_up_required');
    assert.deepEqual(methods, ['identity-provider']);
  };
  const stepUp = async (browser: Browser): Promise<string> => {
    const begun = await browser.get('oidc/step-up');
    assert.equal(begun.status, 302, begun.text);
    const location = String(begun.headers['location']);
    if (!location.startsWith(provider.issuer)) return location;
    return String((await comeBack(browser, provider.authorize(location))).headers['location']);
  };
  const done = `${baseUrl}/portal/step-up`;

  describe('at the sign-in', () => {
    for (const [what, authTime] of [
      ['does not say when', () => undefined],
      ['was an hour ago', () => askedAgo(3600)],
      ['will be in an hour, by the clock of the provider', () => askedAgo(-3600)],
      ['is counted in milliseconds', () => askedAgo(0) * 1000],
    ] as const) {
      test(`is no fresh one when it ${what}`, async () => {
        authenticated(authTime());
        await assertNotFresh(await signedIn());
      });
    }

    test('that says no time at all signs nobody in', async () => {
      for (const authTime of ['now', -5, null]) {
        authenticated(authTime);
        assert.equal(await signInVia(provider, scene.browser()), refusal('provider-refused'));
      }
    });

    test('is as old as the provider says', async () => {
      authenticated(askedAgo(8 * 60));
      const browser = await signedIn();
      assert.equal((await change(browser)).status, 201);
      scene.advance(2 * 60_000 + 1000);
      await assertNotFresh(browser);
    });

    test('asks the provider to say when, and to ask again whom it has not asked for a week', async () => {
      const { searchParams } = new URL(await start(scene.browser()));
      assert.equal(searchParams.get('max_age'), String(7 * 86_400));
      assert.equal(searchParams.get('prompt'), null);
    });
  });

  describe('before something that matters', () => {
    test('has the provider ask again, whatever session it has', async () => {
      const browser = await signedIn();
      const answer = await browser.get('oidc/step-up');
      const { searchParams } = new URL(String(answer.headers['location']));
      assert.deepEqual([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0']);
    });

    for (const [what, problem, authTime] of [
      ['does not say when', 'proof-not-dated', () => undefined],
      ['is of before it was asked for', 'proof-not-fresh', () => askedAgo(90)],
      ['is of the future', 'proof-not-fresh', () => askedAgo(-3600)],
      ['says no time at all', 'provider-refused', () => 'now'],
    ] as const) {
      test(`is none when it ${what}`, async () => {
        const browser = await signedIn();
        authenticated(authTime());
        assert.equal(await stepUp(browser), `${done}?problem=${problem}`);
        await assertNotFresh(browser);
      });
    }

    test('is none by somebody else', async () => {
      const browser = await signedIn();
      const other = await scene.addPerson({ email: `other-${number}@example.com` });
      authenticated(askedAgo(0));
      provider.claims = { ...provider.claims, sub: `other-${number}`, email: other.email };
      assert.equal(await stepUp(browser), `${done}?problem=other-person`);
      await signedIn();
      assert.equal(await stepUp(browser), `${done}?problem=other-person`);
      // The address alone is not the person: the subject is.
      provider.claims = { ...provider.claims, email: person.email };
      assert.equal(await stepUp(browser), `${done}?problem=other-person`);
      await assertNotFresh(browser);
    });

    test('is none for a session that has ended, or was never there', async () => {
      assert.equal(await stepUp(scene.browser()), `${done}?problem=sign-in-expired`);
      const browser = await signedIn();
      authenticated(askedAgo(0));
      const url = provider.authorize(String((await browser.get('oidc/step-up')).headers['location']));
      const session = browser.cookies.get(sessionCookie)!;
      await browser.post('sign-out');
      assert.equal((await comeBack(browser, url)).headers['location'], `${done}?problem=sign-in-expired`);
      browser.cookies.set(sessionCookie, session);
      assert.equal((await browser.state())['state'], 'signed-out');
    });

    test('is begun by no other site', async () => {
      const browser = await signedIn();
      const answer = await browser.get('oidc/step-up', { 'Sec-Fetch-Site': 'cross-site' });
      assertRefused(answer, 403, 'cross_site_request');
    });

    test('is not enough where there is a second factor', async () => {
      await proveEmail(scene, person);
      const { secret } = await addApp(scene, await scene.signedIn(person));
      const browser = scene.browser();
      await signInVia(provider, browser);
      scene.advance(60_000);
      await browser.post('second-factor', { code: totpCode(secret, scene.nowMs()) });
      scene.advance(11 * 60_000);
      authenticated(askedAgo(0));
      await stepUp(browser);
      const { methods } = assertRefused(await change(browser), 403, 'step_up_required');
      assert.deepEqual(methods, ['totp', 'recovery-code']);
    });

    test('counts for ten minutes, in the session that it was begun in', async () => {
      const browser = await signedIn();
      const elsewhere = await signedIn();
      const session = browser.cookies.get(sessionCookie);
      authenticated(askedAgo(0));
      assert.equal(await stepUp(browser), done);
      assert.equal(browser.cookies.get(sessionCookie), session, 'it is the same session');
      assert.equal((await change(browser)).status, 201);
      await assertNotFresh(elsewhere);
      scene.advance(10 * 60_000);
      await assertNotFresh(browser);
    });

    test('is offered to those alone whom the provider has vouched for', async () => {
      const browser = await scene.signedIn(person);
      scene.advance(11 * 60_000);
      const { methods } = assertRefused(await change(browser), 403, 'step_up_required');
      assert.deepEqual(methods, ['password']);
      await proveEmail(scene, person);
      await signInVia(provider, scene.browser());
      const both = assertRefused(await change(browser), 403, 'step_up_required');
      assert.deepEqual(both['methods'], ['password', 'identity-provider']);
    });
  });
});

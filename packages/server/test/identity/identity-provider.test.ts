import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { baseUrl } from '@countersign/testing/running-service';
import { totpCode } from './authenticator-app.ts';
import { assertRefused, type Browser, sessionCookie } from './browser.ts';
import { type OpenIdProvider, runOpenIdProvider } from './openid-provider.ts';
import { addApp, goodPassword, openPeopleScene, type PeopleScene, proveEmail } from './people-scene.ts';
import { comeBack, providerSettings, refusal, signInVia, start } from './provider-sign-in.ts';

/* Sign-in through the company's own identity provider. */

describe('sign-in through an identity provider', () => {
  let provider: OpenIdProvider;
  let scene: PeopleScene;
  let number = 0;
  before(async () => {
    provider = await runOpenIdProvider();
    scene = await openPeopleScene({
      environment: providerSettings(provider.issuer),
    });
  });
  after(async () => {
    await scene.close();
    await provider.close();
  });
  const newEmail = (): string => `worker-${(number += 1)}@example.com`;
  beforeEach(() => {
    provider.claims = { sub: `subject-${number}`, email: newEmail(), email_verified: true, name: 'A Worker' };
  });

  const signIn = (browser: Browser, query = ''): Promise<string> => signInVia(provider, browser, query);

  test('nobody is let in whom nobody knows or has invited', async () => {
    const browser = scene.browser();
    assert.equal(await signIn(browser), refusal('person-unknown'));
    assert.equal(browser.cookies.has(sessionCookie), false);
    const people = await scene.database((database) => database.selectFrom('persons').selectAll().execute());
    assert.deepEqual(people, []);
  });

  test('an address that the provider has not verified is nobody', async () => {
    const { email } = await scene.addPerson({ email: newEmail() });
    for (const verified of [false, undefined, 'true', 1]) {
      provider.claims = { sub: 'x', email, email_verified: verified };
      assert.equal(await signIn(scene.browser()), refusal('provider-refused'));
    }
  });

  test('an address that only looks like that of a person is not theirs', async () => {
    await scene.addPerson({ email: `k-${newEmail()}` });
    // The Kelvin sign becomes the letter k in lower case.
    provider.claims = { ...provider.claims, email: `\u212a-worker-${number}@example.com` };
    const browser = scene.browser();
    assert.equal(await signIn(browser), refusal('provider-refused'));
    assert.equal(browser.cookies.has(sessionCookie), false);
  });

  test('the answer has to be for this browser, this request and this service, and comes once', async () => {
    const person = await scene.addPerson({ email: newEmail() });
    await proveEmail(scene, person);
    const { email } = person;
    provider.claims = { sub: 'subject-once', email, email_verified: true };
    const browser = scene.browser();
    const sentTo = await start(browser);
    const { searchParams } = new URL(sentTo);
    assert.equal(searchParams.get('code_challenge_method'), 'S256');
    assert.equal(searchParams.get('redirect_uri'), `${baseUrl}/portal/auth/oidc/callback`);
    // Another person's browser gets the link with our code (login CSRF).
    const ours = provider.authorize(sentTo);
    assert.equal((await comeBack(scene.browser(), ours)).headers['location'], refusal('sign-in-expired'));
    const victim = scene.browser();
    await start(victim);
    assert.equal((await comeBack(victim, ours)).headers['location'], refusal('provider-refused'));
    // Another state, no code, an error of the provider.
    for (const change of ['state=other', 'code=', 'error=access_denied', 'iss=https://evil.example']) {
      const other = scene.browser();
      const url = new URL(provider.authorize(await start(other)));
      const [name, value] = change.split('=') as [string, string];
      url.searchParams.set(name, value);
      assert.equal(
        (await comeBack(other, url.href)).headers['location'],
        refusal('provider-refused'),
        change,
      );
    }
    for (const claims of [
      { nonce: 'other' },
      { aud: 'other' },
      { iss: 'https://evil.example' },
      { exp: 1 },
    ]) {
      provider.claims = { sub: 'subject-once', email, email_verified: true, ...claims };
      assert.equal(await signIn(scene.browser()), refusal('provider-refused'), JSON.stringify(claims));
    }
    provider.claims = { sub: 'subject-once', email, email_verified: true };
    const kept = new Map(browser.cookies);
    assert.equal((await comeBack(browser, ours)).headers['location'], `${baseUrl}/portal/`);
    const again = scene.browser();
    for (const [name, value] of kept) again.cookies.set(name, value);
    assert.equal((await comeBack(again, ours)).headers['location'], refusal('sign-in-expired'));
  });

  test('a sign-in that takes longer than ten minutes begins anew', async () => {
    await scene.addPerson({ email: String(provider.claims['email']) });
    const browser = scene.browser();
    const url = provider.authorize(await start(browser));
    scene.advance(10 * 60_000);
    assert.equal((await comeBack(browser, url)).headers['location'], refusal('sign-in-expired'));
  });

  test('a start counts as no attempt, and is possible where many have failed', async () => {
    const stranger = scene.browser({ localAddress: '127.0.0.10' });
    for (let index = 0; index < 50; index += 1)
      await stranger.post('password/reset', { token: `a guess ${index}`, password: goodPassword });
    const counts = () =>
      scene.database((database) => database.selectFrom('sign_in_failures').selectAll().execute());
    const countedBefore = await counts();
    assert.match(await start(stranger), /\/authorize\?/);
    assert.deepEqual(await counts(), countedBefore);
  });

  test('it leads to pages of the portal only', async () => {
    await proveEmail(scene, await scene.addPerson({ email: String(provider.claims['email']) }));
    const elsewhere = [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '/portal/\\evil.example',
      '/portal//evil.example',
      '/portal/../v1/clients',
      '/portal/%2e%2e/docs',
      '/portal/%5cevil',
      '/portalx/',
      '/portal/auth/sign-out',
      '/portal/\nLocation: x',
      '/docs',
      'javascript:alert(1)',
      '',
    ];
    const browser = scene.browser();
    for (const path of elsewhere) {
      const answer = await browser.get(`oidc/start?return=${encodeURIComponent(path)}`);
      assertRefused(answer, 400, 'query_invalid');
    }
    assertRefused(await browser.get('oidc/start?return=/portal/&return=/portal/'), 400, 'query_invalid');
    const path = '/portal/logs/requests?request=request_1&period=24h';
    assert.equal(await signIn(browser, `?return=${encodeURIComponent(path)}`), baseUrl + path);
  });

  test('a member is signed in, and stays the same person when the address changes', async () => {
    const person = await scene.addPerson({ email: String(provider.claims['email']) });
    await proveEmail(scene, person);
    const browser = scene.browser();
    assert.equal(await signIn(browser), `${baseUrl}/portal/`);
    const state = (await browser.state()) as { features: { oidc: unknown }; person: { userId: string } };
    assert.equal(state.person.userId, person.userId);
    assert.deepEqual(state.features.oidc, { name: 'Example SSO' });
    const other = await scene.addPerson({ email: newEmail() });
    provider.claims = { ...provider.claims, email: other.email };
    const later = scene.browser();
    await signIn(later);
    assert.equal(((await later.state()) as { person: { userId: string } }).person.userId, person.userId);
    // A new owner of the old address at the provider does not become the person.
    provider.claims = { sub: 'the-next-one', email: person.email, email_verified: true };
    assert.equal(await signIn(scene.browser()), refusal('person-unknown'));
  });

  test('somebody invited becomes a member, without a password', async () => {
    const owner = await scene.signedIn(await scene.addPerson({ email: newEmail() }));
    const email = String(provider.claims['email']);
    const headers = { 'Countersign-Account': scene.accountId };
    await owner.post('/v1/invitations', { email, role: 'viewer' }, headers);
    const browser = scene.browser();
    assert.equal(await signIn(browser), `${baseUrl}/portal/`);
    const state = (await browser.state()) as {
      person: { name: string; hasPassword: boolean };
      accounts: { role: string }[];
    };
    assert.deepEqual([state.person.name, state.person.hasPassword], ['A Worker', false]);
    assert.deepEqual(
      state.accounts.map(({ role }) => role),
      ['viewer'],
    );
    // A link for a new password would be a way around the provider.
    await scene.browser().post('password/forgot', { email });
    await scene.browser().post('sign-in', { email, password: goodPassword });
    const mails = await scene.mails(1);
    assert.equal(
      mails.some((text) => text.includes(`To: ${email}`) && text.includes('reset-password')),
      false,
    );
  });

  test('whoever has a second factor here gives it', async () => {
    const person = await scene.addPerson({ email: String(provider.claims['email']) });
    await proveEmail(scene, person);
    const { secret } = await addApp(scene, await scene.signedIn(person));
    const browser = scene.browser();
    assert.equal(await signIn(browser), `${baseUrl}/portal/sign-in`);
    assert.equal((await browser.state())['state'], 'second-factor');
    scene.advance(60_000);
    const answer = await browser.post('second-factor', { code: totpCode(secret, scene.nowMs()) });
    assert.equal(answer.status, 200, answer.text);
  });

  test('strangers who guess passwords keep nobody from the second factor after it', async () => {
    const person = await scene.addPerson({ email: String(provider.claims['email']) });
    await proveEmail(scene, person);
    const { secret } = await addApp(scene, await scene.signedIn(person));
    const stranger = scene.browser({ localAddress: '127.0.0.9' });
    const { email } = person;
    for (let index = 0; index < 5; index += 1)
      assertRefused(
        await stranger.post('sign-in', { email, password: `guess ${index}` }),
        401,
        'credentials_invalid',
      );
    assertRefused(await stranger.post('sign-in', { email, password: 'a guess' }), 429, 'too_many_attempts');
    const browser = scene.browser();
    assert.equal(await signIn(browser), `${baseUrl}/portal/sign-in`);
    // The app's next code, because the present one is used.
    const code = totpCode(secret, scene.nowMs() + 30_000);
    assert.deepEqual((await browser.post('second-factor', { code })).json(), { next: 'portal' });
  });

  test('a provider that cannot be reached is told of', async (context) => {
    const other = await openPeopleScene({
      environment: providerSettings('http://127.0.0.1:9'),
    });
    context.after(() => other.close());
    assert.equal(await start(other.browser()), refusal('provider-unavailable'));
  });

  test('where there is none, there is no way to one', async (context) => {
    const other = await openPeopleScene();
    context.after(() => other.close());
    assertRefused(await other.browser().get('oidc/start'), 404, 'not_found');
    assertRefused(await other.browser().get('oidc/callback?code=1&state=2'), 404, 'not_found');
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { baseUrl } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitFor } from '@countersign/testing/wait-until';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { Browser } from './browser.ts';
import { openPeopleScene, proveEmail } from './people-scene.ts';
import { comeBack, providerSettings, refusal, start } from './provider-sign-in.ts';
import { type RealProvider, type RealProviderOptions, runRealProvider } from './real-provider.ts';

/* Signing in through an implementation of OpenID Connect that isn't ours. */

const email = 'worker@example.com';
const portal = `${baseUrl}/portal/`;
const verified = { email, email_verified: true, name: 'Worker' };

interface Trial {
  readonly provider: RealProvider;
  readonly browser: Browser;
  /** Signs the person in; returns the page that it ends on. */
  readonly signIn: () => Promise<string>;
  /** Waits for the log's first line with a reason, and returns it. */
  readonly reason: () => Promise<string>;
}

async function trial(
  t: TestContext,
  options: RealProviderOptions,
  settings: Readonly<Record<string, string>> = {},
): Promise<Trial> {
  const provider = await runRealProvider(options);
  t.after(() => provider.close());
  const logFile = join(temporaryFolder(t), 'log.jsonl');
  const environment = { ...providerSettings(provider.issuer), ...settings };
  const scene = await openPeopleScene({ environment, logger: createLogger('warn', logFile) });
  t.after(() => scene.close());
  await proveEmail(scene, await scene.addPerson({ email }));
  const browser = scene.browser();
  return {
    provider,
    browser,
    signIn: async () => {
      const answer = await comeBack(browser, await provider.visit(await start(browser)));
      assert.equal(answer.status, 302, answer.text);
      return String(answer.headers['location']);
    },
    reason: () =>
      waitFor(
        () => /"reason":"([^"]*)"/.exec(readFileSync(logFile, 'utf8'))?.[1],
        () => readFileSync(logFile, 'utf8'),
      ),
  };
}

const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.state())['state'] === 'signed-in';

describe('nobody is signed in', () => {
  for (const [what, claims, reason] of [
    ['whose address is not verified', { email, email_verified: false }, /email_verified is false/],
    ['without a word whether the address is verified', { email }, /email_verified is missing/],
    ['without an address', { name: 'Worker' }, /email is missing/],
  ] as const)
    for (const isEmailInIdToken of [true, false])
      test(`${what}, ${isEmailInIdToken ? 'in the ID token' : 'at userinfo'}`, async (t) => {
        const { signIn, reason: logged, browser } = await trial(t, { claims, isEmailInIdToken });
        assert.equal(await signIn(), refusal('provider-refused'));
        assert.match(await logged(), reason);
        assert.equal(await isSignedIn(browser), false);
      });

  test('whose address is not verified, also by a provider that is trusted', async (t) => {
    const trust = { COUNTERSIGN_OIDC_TRUST_EMAIL_ADDRESSES: 'yes' };
    const { signIn } = await trial(t, { claims: { email, email_verified: false } }, trust);
    assert.equal(await signIn(), refusal('provider-refused'));
  });

  test('whom the service does not know', async (t) => {
    const { signIn } = await trial(t, { claims: { ...verified, email: 'stranger@example.com' } });
    assert.equal(await signIn(), refusal('person-unknown'));
  });

  for (const method of ['client_secret_basic', 'client_secret_post'] as const)
    test(`with another secret, by ${method}`, async (t) => {
      const other = { COUNTERSIGN_OIDC_CLIENT_SECRET: 'another secret' };
      const { signIn, browser } = await trial(t, { claims: verified, method }, other);
      assert.equal(await signIn(), refusal('provider-refused'));
      assert.equal(await isSignedIn(browser), false);
    });

  test('with an answer that has been used', async (t) => {
    const { provider, browser } = await trial(t, { claims: verified });
    const answer = await provider.visit(await start(browser));
    const first = await comeBack(browser, answer);
    assert.equal(first.headers['location'], portal);
    const again = await comeBack(browser, answer);
    assert.equal(again.headers['location'], refusal('sign-in-expired'));
  });
});

describe('a person is signed in', () => {
  for (const method of ['client_secret_basic', 'client_secret_post'] as const)
    for (const algorithm of ['RS256', 'PS256', 'ES256'] as const)
      for (const isEmailInIdToken of [true, false]) {
        const place = isEmailInIdToken ? 'the ID token' : 'userinfo alone';
        test(`by ${method}, an ID token signed with ${algorithm}, and an address in ${place}`, async (t) => {
          const options = { method, algorithm, isEmailInIdToken, claims: verified };
          const { signIn, browser, provider } = await trial(t, options);
          assert.equal(await signIn(), portal);
          assert.equal(await isSignedIn(browser), true);
          assert.equal(provider.logins(), 1);
        });
      }

  test('and confirms it by signing in at the provider again, although that still has a session', async (t) => {
    const { provider, browser, signIn } = await trial(t, { claims: verified });
    assert.equal(await signIn(), portal);
    assert.equal(await signIn(), portal);
    assert.equal(provider.logins(), 1, 'the session of the provider is enough for a sign-in');
    const away = await browser.get('oidc/step-up');
    const back = await comeBack(browser, await provider.visit(String(away.headers['location'])));
    assert.equal(back.headers['location'], `${baseUrl}/portal/step-up`);
    assert.equal(provider.logins(), 2);
  });
});

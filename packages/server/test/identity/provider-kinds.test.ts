import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { baseUrl } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitFor } from '@countersign/testing/wait-until';
import { createLogger } from '../../src/telemetry/logger.ts';
import { type OpenIdProvider, runOpenIdProvider } from './openid-provider.ts';
import { openPeopleScene, type PeopleScene, proveEmail } from './people-scene.ts';
import { providerSettings, refusal, signInVia, start } from './provider-sign-in.ts';

/* Identity providers differ in how they know the client, where they put claims, and which they have. */

interface Trial {
  readonly provider: OpenIdProvider;
  readonly scene: PeopleScene;
  /** Signs in a person that the service knows by this address; returns the page that it ends on. */
  readonly signIn: () => Promise<string>;
  /** Waits for the log's first line with a reason; resolves with all reasons and causes in it. */
  readonly failures: () => Promise<readonly string[]>;
}

async function trial(
  t: TestContext,
  change: (provider: OpenIdProvider) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<Trial> {
  const provider = await runOpenIdProvider();
  provider.claims = { sub: 'subject', email, email_verified: true };
  change(provider);
  const logFile = join(temporaryFolder(t), 'log.jsonl');
  const logger = createLogger('warn', logFile);
  const environment = { ...providerSettings(provider.issuer), ...settings };
  const scene = await openPeopleScene({ environment, logger });
  t.after(async () => {
    await scene.close();
    await provider.close();
  });
  await proveEmail(scene, await scene.addPerson({ email }));
  return {
    provider,
    scene,
    signIn: () => signInVia(provider, scene.browser()),
    failures: () =>
      waitFor(
        () => {
          const failures = failuresIn(logFile);
          return failures.length === 0 ? undefined : failures;
        },
        () => readFileSync(logFile, 'utf8'),
      ),
  };
}

/** The reasons and causes in the lines of a log that are whole. */
function failuresIn(logFile: string): readonly string[] {
  const lines = readFileSync(logFile, 'utf8').split('\n').slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as { reason?: string; cause?: string })
    .flatMap(({ reason, cause }) => (reason === undefined ? [] : [`${reason} ${cause ?? ''}`.trim()]));
}

const email = 'worker@example.com';
const portal = `${baseUrl}/portal/`;
const refused = refusal('provider-refused');

describe('the client authenticates at the token endpoint', () => {
  const methods = (list: readonly string[] | undefined) => ({ token_endpoint_auth_methods_supported: list });
  for (const [name, method, metadata] of [
    ['by Basic where the provider offers nothing else', 'basic', methods(['client_secret_basic'])],
    ['by Basic where the provider does not say', 'basic', methods(undefined)],
    [
      'by Basic where the provider offers both',
      'basic',
      methods(['client_secret_post', 'client_secret_basic']),
    ],
    ['by the form where the provider offers nothing else', 'post', methods(['client_secret_post', 'none'])],
  ] as const)
    test(name, async (t) => {
      const { signIn } = await trial(t, (provider) => Object.assign(provider, { method, metadata }));
      assert.equal(await signIn(), portal);
    });

  test('in no way where the provider knows neither, and the log says so', async (t) => {
    const { scene, failures } = await trial(t, (provider) => {
      provider.metadata = methods(['private_key_jwt', 'tls_client_auth']);
    });
    assert.equal(await start(scene.browser()), refused);
    assert.deepEqual(await failures(), [
      'the identity provider supports neither client_secret_basic nor client_secret_post',
    ]);
  });

  test('and the log has the code of a provider that refuses it', async (t) => {
    const { signIn, failures } = await trial(t, (provider) => {
      provider.method = 'post';
      provider.metadata = methods(['client_secret_basic']);
    });
    assert.equal(await signIn(), refused);
    assert.match((await failures())[0] ?? '', /did not identify anyone ResponseBodyError .*invalid_client$/);
  });
});

describe('an ID token', () => {
  test('with a signature of another key signs nobody in, although it came from the token endpoint', async (t) => {
    const { provider, signIn } = await trial(t, (one) => {
      one.forgesSignatures = true;
    });
    assert.equal(await signIn(), refused);
    provider.forgesSignatures = false;
    assert.equal(await signIn(), portal);
  });

  test('of a provider without published keys signs nobody in', async (t) => {
    const { scene, failures } = await trial(t, (provider) => {
      provider.metadata = { jwks_uri: undefined };
    });
    assert.equal(await start(scene.browser()), refused);
    assert.match((await failures())[0] ?? '', /publishes no keys/);
  });
});

describe('an email address', () => {
  const trust = { COUNTERSIGN_OIDC_TRUST_EMAIL_ADDRESSES: 'yes' };
  for (const [name, claims, userInfo, settings] of [
    ['at userinfo alone', {}, { email, email_verified: true }, {}],
    ['in the ID token, and verified at userinfo', { email }, { email, email_verified: true }, {}],
    ['without email_verified, of a provider that is trusted', { email }, undefined, trust],
    [
      'with email_verified as text, of a provider that is trusted',
      { email, email_verified: 'true' },
      undefined,
      trust,
    ],
    ['at userinfo without email_verified, of a provider that is trusted', {}, { email }, trust],
    [
      'in the ID token, and without email_verified anywhere, of a provider that is trusted',
      { email },
      { name: 'A' },
      trust,
    ],
    [
      'in the ID token, and none at userinfo, of a provider that is trusted',
      { email },
      { email: null, email_verified: true },
      trust,
    ],
    [
      'verified at userinfo rather than another in the ID token, of a provider that is trusted',
      { email: 'another@example.com' },
      { email, email_verified: true },
      trust,
    ],
  ] as const)
    test(`${name}, signs its person in`, async (t) => {
      const { signIn } = await trial(
        t,
        (provider) => Object.assign(provider, { claims: { sub: 'subject', ...claims }, userInfo }),
        settings,
      );
      assert.equal(await signIn(), portal);
    });

  for (const [name, claims, userInfo, settings, reason] of [
    ['is missing', {}, undefined, {}, 'in the ID token, email is missing'],
    [
      'is missing everywhere',
      {},
      { name: 'A' },
      {},
      'in the ID token, email is missing; at userinfo, email is missing',
    ],
    ['is not said to be verified', { email }, undefined, {}, 'in the ID token, email_verified is missing'],
    [
      'is not said to be verified at userinfo either',
      { email },
      { email },
      {},
      'in the ID token, email_verified is missing; at userinfo, email_verified is missing',
    ],
    [
      'is verified in text',
      { email, email_verified: 'true' },
      undefined,
      {},
      'in the ID token, email_verified is text, not true',
    ],
    [
      'is not verified',
      { email, email_verified: false },
      undefined,
      trust,
      'in the ID token, email_verified is false',
    ],
    [
      'is not verified, whatever userinfo says',
      { email, email_verified: false },
      { email, email_verified: true },
      trust,
      'in the ID token, email_verified is false',
    ],
    [
      'is not verified, in text',
      { email, email_verified: 'false' },
      undefined,
      trust,
      'in the ID token, email_verified is text, not true',
    ],
    [
      'is not verified, while userinfo has the address alone',
      { email_verified: false },
      { email },
      trust,
      'in the ID token, email_verified is false',
    ],
    [
      'is not verified, in text, while userinfo has the address alone',
      { email_verified: 'false' },
      { email, email_verified: true },
      trust,
      'in the ID token, email_verified is text, not true',
    ],
    [
      'is not verified at userinfo, while the ID token has the address alone',
      { email },
      { email, email_verified: false },
      trust,
      'in the ID token, email_verified is missing; at userinfo, email_verified is false',
    ],
    [
      'is not verified at userinfo, in text, where the address is missing',
      { email },
      { email_verified: 'false' },
      trust,
      'in the ID token, email_verified is missing; at userinfo, email_verified is text, not true',
    ],
    [
      'is not verified at userinfo, which has no address either',
      {},
      { email_verified: false },
      trust,
      'in the ID token, email is missing; at userinfo, email_verified is false',
    ],
    [
      'is none',
      { email: 'worker', email_verified: true },
      undefined,
      trust,
      'in the ID token, email is not an address that the service accepts',
    ],
  ] as const)
    test(`that ${name} signs nobody in, and the log names the claim`, async (t) => {
      const { signIn, failures } = await trial(
        t,
        (provider) => Object.assign(provider, { claims: { sub: 'subject', ...claims }, userInfo }),
        settings,
      );
      assert.equal(await signIn(), refused);
      assert.deepEqual(await failures(), [
        `the identity provider did not vouch for an email address: ${reason}`,
      ]);
    });

  test('of somebody else at userinfo signs nobody in', async (t) => {
    const { signIn } = await trial(t, (provider) => {
      provider.claims = { sub: 'subject' };
      provider.userInfo = { sub: 'another', email, email_verified: true };
    });
    assert.equal(await signIn(), refused);
  });
});

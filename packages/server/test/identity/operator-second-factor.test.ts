import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { baseUrl } from '@countersign/testing/running-service';
import { totpCode } from './authenticator-app.ts';
import { Authenticator } from './authenticator.ts';
import { assertRefused } from './browser.ts';
import {
  addApp,
  addPasskey,
  goodPassword,
  openPeopleScene,
  type PeopleScene,
  type PeopleSceneOptions,
  type TestPerson,
} from './people-scene.ts';

/* The operator's people reach every account, so a stolen password must not be enough. */

interface OperatorScene extends PeopleScene {
  readonly operatorAccount: string;
  newOperator(role?: 'operator' | 'account-manager' | 'viewer'): Promise<TestPerson>;
}

async function open(context: TestContext, options: PeopleSceneOptions = {}): Promise<OperatorScene> {
  const scene = await openPeopleScene(options);
  context.after(() => scene.close());
  let operatorAccount = '';
  await scene.running.change(async (registry) => {
    const { accountId } = await registry.addAccount({ name: 'Provider', isOperator: true });
    operatorAccount = accountId;
  });
  let number = 0;
  return {
    ...scene,
    operatorAccount,
    newOperator: async (role = 'operator') => {
      const person = {
        email: `operator-${(number += 1)}@example.com`,
        name: 'Opal',
        password: goodPassword,
      };
      const userId = await scene.running.service.people!.addMember({
        ...person,
        accountId: operatorAccount,
        role,
      });
      return { ...person, userId };
    },
  };
}

const { origin } = new URL(baseUrl);

const inAccount = (accountId: string) => ({ 'Countersign-Account': accountId });

for (const backend of backends) {
  describe(`operators without a second factor, on ${backend.name}`, { skip: backend.skip }, () => {
    for (const role of ['operator', 'account-manager', 'viewer'] as const)
      test(`as ${role} sign in to add one, and do nothing else`, async (context) => {
        const scene = await open(context, { backend });
        const browser = await scene.signedIn(await scene.newOperator(role));
        const headers = inAccount(scene.operatorAccount);
        assertRefused(await browser.get('/v1/members', headers), 403, 'second_factor_required');
        const { accounts } = (await browser.state()) as { accounts: { isSecondFactorRequired: boolean }[] };
        assert.deepEqual(
          accounts.map(({ isSecondFactorRequired }) => isSecondFactorRequired),
          [true],
        );
        assert.equal((await browser.get('profile')).status, 200);
        await addApp(scene, browser);
        assert.equal((await browser.get('/v1/members', headers)).status, 200);
      });

    test('do nothing in a customer for whom they act either, nor with a session from before', async (context) => {
      const scene = await open(context, { backend });
      const person = await scene.newOperator();
      const browser = await scene.signedIn(person);
      const early = await scene.signedIn(person);
      await addApp(scene, browser);
      const own = inAccount(scene.operatorAccount);
      const body = { accountId: scene.accountId, reason: 'To see what is asked of me' };
      assertRefused(await early.post('/v1/acting', body, own), 403, 'step_up_required');
      assert.equal((await browser.post('/v1/acting', body, own)).status, 201);
      const customer = inAccount(scene.accountId);
      assert.equal((await browser.get('/v1/clients', customer)).status, 200);
      // The app is removed while the person acts.
      assert.equal((await browser.request('DELETE', 'profile/totp')).status, 204);
      assertRefused(await browser.get('/v1/clients', customer), 403, 'second_factor_required');
      const { accounts } = (await browser.state()) as { accounts: { isSecondFactorRequired: boolean }[] };
      assert.deepEqual(
        accounts.map(({ isSecondFactorRequired }) => isSecondFactorRequired),
        [true, true],
      );
    });
  });

  describe(`whoever knows only an operator's password, on ${backend.name}`, { skip: backend.skip }, () => {
    const twoSessions = async (context: TestContext) => {
      const scene = await open(context, { backend });
      const person = await scene.newOperator();
      const headers = inAccount(scene.operatorAccount);
      const [thief, owner] = [await scene.signedIn(person), await scene.signedIn(person)];
      const assertKeptOut = async (): Promise<void> => {
        assertRefused(await thief.get('/v1/accounts', headers), 403, 'step_up_required');
      };
      return { scene, thief, owner, assertKeptOut };
    };

    test('finishes no app that they began before the owner added a passkey', async (context) => {
      const { scene, thief, owner, assertKeptOut } = await twoSessions(context);
      const { secret } = (await thief.post('profile/totp')).json() as { secret: string };
      await addPasskey(owner, origin);
      const code = totpCode(secret, scene.nowMs());
      assertRefused(await thief.post('profile/totp/confirm', { code }), 400, 'link_invalid');
      await assertKeptOut();
    });

    test('finishes no app that they began while the owner added a passkey', async (context) => {
      const { scene, thief, owner, assertKeptOut } = await twoSessions(context);
      const { secret } = (await thief.post('profile/totp')).json() as { secret: string };
      const begun = await scene.database((database) =>
        database.selectFrom('person_verifications').selectAll().execute(),
      );
      await addPasskey(owner, origin);
      await scene.database((database) =>
        database
          .insertInto('person_verifications')
          .values(begun.filter(({ identifier }) => identifier.startsWith('totp:')))
          .execute(),
      );
      const code = totpCode(secret, scene.nowMs());
      const refused = await thief.post('profile/totp/confirm', { code });
      assertRefused(refused, 403, 'step_up_required');
      assert.deepEqual(refused.json()['methods'], ['passkey']);
      await assertKeptOut();
    });

    test('finishes no passkey that they began before the owner added an app', async (context) => {
      const { scene, thief, owner, assertKeptOut } = await twoSessions(context);
      const options = await thief.post('profile/passkeys/options');
      await addApp(scene, owner);
      const response = new Authenticator().register(options.json(), origin);
      const refused = await thief.post('profile/passkeys', { name: 'Mine', response });
      assertRefused(refused, 403, 'step_up_required');
      assert.deepEqual(refused.json()['methods'], ['totp', 'recovery-code']);
      await assertKeptOut();
    });
  });
}

test('the first operator adds a second factor in the session of the set-up', async (context) => {
  const scene = await openPeopleScene();
  context.after(() => scene.close());
  const link = await scene.running.service.people!.setUpLink();
  const browser = scene.browser();
  const first = { name: 'First', email: 'first@example.com', password: goodPassword };
  const token = link!.split('=')[1]!;
  assert.equal((await browser.post('set-up', { token, ...first })).status, 200);
  const { accounts } = (await browser.state()) as { accounts: { accountId: string }[] };
  const headers = inAccount(accounts[0]!.accountId);
  assertRefused(await browser.get('/v1/accounts', headers), 403, 'second_factor_required');
  const { secret } = await addApp(scene, browser);
  assert.equal((await browser.get('/v1/accounts', headers)).status, 200);

  scene.advance(60_000);
  const again = scene.browser();
  const { email, password } = first;
  assert.deepEqual((await again.post('sign-in', { email, password })).json(), { next: 'second-factor' });
  assertRefused(await again.get('/v1/accounts', headers), 401, 'session_required');
  const code = totpCode(secret, scene.nowMs());
  assert.deepEqual((await again.post('second-factor', { code })).json(), { next: 'portal' });
  assert.equal((await again.get('/v1/accounts', headers)).status, 200);
});

test('owners of other accounts need none unless their account demands it', async (context) => {
  const scene = await open(context);
  const browser = await scene.signedIn(await scene.addPerson());
  assert.equal((await browser.get('/v1/clients', inAccount(scene.accountId))).status, 200);
});

test('a deployment whose identity provider asks for it can do without', async (context) => {
  const environment = { COUNTERSIGN_ALLOW_OPERATORS_WITHOUT_SECOND_FACTOR: 'yes' };
  const scene = await open(context, { environment });
  const browser = await scene.signedIn(await scene.newOperator());
  assert.equal((await browser.get('/v1/members', inAccount(scene.operatorAccount))).status, 200);
});

describe('the demonstration', () => {
  const here = { COUNTERSIGN_DEMONSTRATION: 'yes', COUNTERSIGN_PUBLIC_BASE_URLS: 'https://localhost' };
  test('asks its operator for none on this machine alone', async (context) => {
    const scene = await open(context, { environment: here });
    assert.equal(scene.running.service.people!.doOperatorsNeedSecondFactor, false);
  });

  for (const [when, more] of Object.entries({
    'it listens for everybody': { COUNTERSIGN_HOST: '0.0.0.0' },
    'a proxy stands before it': { COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1' },
    'it is called by another name': { COUNTERSIGN_PUBLIC_BASE_URLS: 'https://demo.example' },
  }))
    test(`asks its operator for one when ${when}`, async (context) => {
      const scene = await open(context, { environment: { ...here, ...more } });
      assert.equal(scene.running.service.people!.doOperatorsNeedSecondFactor, true);
    });
});

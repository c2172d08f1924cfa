import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { assertRefused, type Browser } from './browser.ts';
import { openPeopleScene, type PeopleScene, type TestPerson } from './people-scene.ts';

/* How long people stay signed in who can do the most harm. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.state())['state'] === 'signed-in';
const ends = async (browser: Browser) =>
  (await browser.state())['sessionEnds'] as { idleSecondsLeft: number; secondsLeft: number };

for (const backend of backends) {
  describe(`the sessions of owners and operators, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: PeopleScene;
    let operatorAccount = '';
    let number = 0;
    const email = (): string => `person-${(number += 1)}@example.com`;
    const newOperator = async (role: 'operator' | 'account-manager' | 'viewer'): Promise<TestPerson> => {
      const person = { email: email(), name: 'Opal', password: 'quiet marble 84 lantern' };
      const userId = await scene.running.service.people!.addMember({
        ...person,
        accountId: operatorAccount,
        role,
      });
      return { ...person, userId };
    };

    before(async () => {
      scene = await openPeopleScene({ backend });
      await scene.running.change(async (registry) => {
        const { accountId } = await registry.addAccount({ name: 'Provider', isOperator: true });
        operatorAccount = accountId;
      });
    });
    after(() => scene.close());

    /** Is active every ten minutes. */
    const work = async (milliseconds: number, browser: Browser): Promise<void> => {
      for (let passed = 0; passed < milliseconds; passed += 10 * minuteMs) {
        scene.advance(10 * minuteMs);
        assert.equal((await browser.post('activity')).status, 204);
      }
    };

    const people = {
      'an owner': () => scene.addPerson({ email: email() }),
      'an operator': () => newOperator('operator'),
      'an account manager': () => newOperator('account-manager'),
      'a viewer of the operator': () => newOperator('viewer'),
    };
    for (const [who, make] of Object.entries(people)) {
      test(`who does nothing for fifteen minutes is signed out, whatever the open page asks: ${who}`, async () => {
        const browser = await scene.signedIn(await make());
        for (let passed = 0; passed < 12; passed += 6) {
          scene.advance(6 * minuteMs);
          assert.equal(await isSignedIn(browser), true);
        }
        scene.advance(3 * minuteMs);
        assert.equal(await isSignedIn(browser), false);
        assertRefused(await browser.post('activity'), 401, 'session_required');
        assertRefused(await browser.get('profile'), 401, 'session_required');
        const headers = { 'Countersign-Account': scene.accountId };
        assertRefused(await browser.get('/v1/clients', headers), 401, 'session_required');
      });
    }

    test('twelve hours are all there is, however busy the person', async () => {
      const browser = await scene.signedIn(await scene.addPerson({ email: email() }));
      await work(12 * hourMs - 10 * minuteMs, browser);
      scene.advance(5 * minuteMs);
      assert.equal(await isSignedIn(browser), true);
      scene.advance(5 * minuteMs);
      assert.equal(await isSignedIn(browser), false);
      assertRefused(await browser.post('activity'), 401, 'session_required');
    });

    test('others keep the longer limits, which end when they become an owner of any account', async () => {
      const address = email();
      const person = await scene.addPerson({ email: address, role: 'admin' });
      const browser = await scene.signedIn(person);
      const other = await scene.signedIn(person);
      scene.advance(60 * minuteMs);
      assert.equal(await isSignedIn(browser), true);
      assert.equal((await browser.post('activity')).status, 204);
      const profile = (await browser.get('profile')).json() as { sessions: unknown[] };
      assert.equal(profile.sessions.length, 2);

      let another = '';
      await scene.running.change(async (registry) => {
        another = (await registry.addAccount('Another account')).accountId;
      });
      await scene.running.service.people!.addMember({
        email: address,
        name: person.name,
        accountId: another,
        role: 'owner',
      });
      assert.equal(await isSignedIn(other), false);
      assert.equal(await isSignedIn(browser), true);
      const { sessions } = (await browser.get('profile')).json() as { sessions: unknown[] };
      assert.equal(sessions.length, 1, 'a session that has ended is listed');
    });

    for (const [change, become] of Object.entries({
      'given a lesser role': (owner: Browser, path: string, headers: Record<string, string>) =>
        owner.request('PATCH', path, { role: 'viewer' }, headers),
      'removed from the account': (owner: Browser, path: string, headers: Record<string, string>) =>
        owner.request('DELETE', path, undefined, headers),
    }))
      test(`a session that has ended stays so when its owner is ${change}`, async () => {
        const person = await scene.addPerson({ email: email() });
        const other = await scene.addPerson({ email: email() });
        const ended = await scene.signedIn(person);
        scene.advance(16 * minuteMs);
        const open = await scene.signedIn(person);
        const owner = await scene.signedIn(other);
        const headers = { 'Countersign-Account': scene.accountId };
        assert.equal((await become(owner, `/v1/members/${person.userId}`, headers)).status, 200);
        assert.equal(await isSignedIn(ended), false);
        assertRefused(await ended.get('profile'), 401, 'session_required');
        assert.equal(await isSignedIn(open), true);
      });

    test('the page is told how long the session lasts', async () => {
      const owner = await scene.signedIn(await scene.addPerson({ email: email() }));
      scene.advance(4 * minuteMs);
      const atFirst = await ends(owner);
      assert.ok(atFirst.idleSecondsLeft <= 11 * 60 && atFirst.idleSecondsLeft > 5 * 60);
      await owner.post('activity');
      const afterwards = await ends(owner);
      assert.ok(afterwards.idleSecondsLeft <= 15 * 60 && afterwards.idleSecondsLeft > 11 * 60);
      assert.ok(afterwards.secondsLeft <= 12 * 3600 && afterwards.secondsLeft > 11.5 * 3600);
      const admin = await scene.signedIn(await scene.addPerson({ email: email(), role: 'admin' }));
      const longer = await ends(admin);
      assert.ok(longer.idleSecondsLeft > 11 * 3600 && longer.secondsLeft > 167 * 3600);
    });
  });
}

test('the operator of the service sets how long owners may be idle', async (context) => {
  const scene = await openPeopleScene({ environment: { COUNTERSIGN_OWNER_IDLE_MINUTES: '30' } });
  context.after(() => scene.close());
  const browser = await scene.signedIn(await scene.addPerson());
  scene.advance(25 * minuteMs);
  assert.equal(await isSignedIn(browser), true);
  scene.advance(5 * minuteMs);
  assert.equal(await isSignedIn(browser), false);
});

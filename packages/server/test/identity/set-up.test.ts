import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { assertRefused } from './browser.ts';
import { goodPassword, openPeopleScene, type PeopleScene } from './people-scene.ts';

/* Setting up the first person. */

const person = { name: 'First Person', email: 'First@Example.com', password: goodPassword };

for (const backend of backends) {
  describe(`the link of the set-up, on ${backend.name}`, { skip: backend.skip }, () => {
    const open = async (context: TestContext): Promise<PeopleScene> => {
      const scene = await openPeopleScene({ backend });
      context.after(() => scene.close());
      return scene;
    };
    const link = async ({ running }: PeopleScene): Promise<string> => {
      const url = await running.service.people!.setUpLink();
      assert.match(url ?? '', /^https:\/\/api\.example\.test\/portal\/set-up#token=[A-Za-z0-9_-]{43}$/);
      return url!.split('=')[1]!;
    };

    test('opens nothing when it is guessed, after the next start, and after it was used', async (context) => {
      const scene = await open(context);
      const browser = scene.browser();
      const first = await link(scene);
      const second = await link(scene);
      for (const token of ['x', 'a'.repeat(43), first]) {
        assertRefused(await browser.post('set-up/check', { token }), 400, 'link_invalid');
        assertRefused(await browser.post('set-up', { token, ...person }), 400, 'link_invalid');
      }
      assertRefused(
        await browser.post('set-up', { token: second, ...person, password: 'countersign-first' }),
        400,
        'password_too_weak',
      );
      assert.equal((await browser.post('set-up/check', { token: second })).status, 200);
      assert.equal((await browser.post('set-up', { token: second, ...person })).status, 200);
      const again = { token: second, ...person, email: 'second@example.com' };
      assertRefused(await scene.browser().post('set-up', again), 400, 'link_invalid');
      assert.equal(await scene.running.service.people!.setUpLink(), undefined);
    });

    test('of two who use it at once, one is the first person', async (context) => {
      const scene = await open(context);
      const token = await link(scene);
      const answers = await Promise.all(
        ['one@example.com', 'two@example.com'].map((email) =>
          scene.browser().post('set-up', { token, ...person, email }),
        ),
      );
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((left, right) => left - right),
        [200, 400],
      );
      await scene.database(async (database) => {
        assert.equal((await database.selectFrom('persons').select('user_id').execute()).length, 1);
      });
    });

    test('makes an operator in the account of the operator, which it makes where there is none', async (context) => {
      const scene = await open(context);
      const browser = scene.browser();
      const before = (await browser.state())['features'] as { needsSetUp: boolean };
      assert.equal(before.needsSetUp, true);
      const token = await link(scene);
      assert.deepEqual((await browser.post('set-up/check', { token })).json(), {
        serviceName: 'Countersign',
      });
      assert.deepEqual((await browser.post('set-up', { token, ...person })).json(), { next: 'portal' });
      const state = (await browser.state()) as {
        state: string;
        features: { needsSetUp: boolean };
        person: { email: string };
        accounts: { name: string; role: string; isOperator: boolean; permissions: string[] }[];
      };
      assert.equal(state.state, 'signed-in');
      assert.equal(state.features.needsSetUp, false);
      assert.equal(state.person.email, 'first@example.com');
      assert.deepEqual(
        state.accounts.map(({ name, role, isOperator }) => ({ name, role, isOperator })),
        [{ name: 'Operator', role: 'operator', isOperator: true }],
      );
      assert.ok(state.accounts[0]!.permissions.includes('accounts:act'));
      const actions = await scene.database((database) =>
        database.selectFrom('audit_events').select(['action', 'actor_kind']).orderBy('version').execute(),
      );
      assert.deepEqual(
        actions.slice(-2).map(({ action }) => action),
        ['account.added', 'member.joined'],
      );
      assert.ok(actions.slice(-2).every(({ actor_kind: kind }) => kind === 'person'));
    });

    test("takes the operator's account that there is", async (context) => {
      const scene = await open(context);
      await scene.running.change((registry) => registry.addAccount({ name: 'Provider', isOperator: true }));
      const browser = scene.browser();
      await browser.post('set-up', { token: await link(scene), ...person });
      const { accounts } = (await browser.state()) as { accounts: { name: string }[] };
      assert.deepEqual(
        accounts.map(({ name }) => name),
        ['Provider'],
      );
    });
  });
}

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import { type Answer, runService, type RunningService } from '@countersign/testing/running-service';
import { demonstrateOnFirstStart } from '../../src/demonstration/first-start.ts';
import { demoPeopleFile } from '../../src/demonstration/demo-credentials.ts';

/* The demonstration's people, and who sees their passwords. */

const here = 'http://127.0.0.1:8421,http://localhost:8421';

async function demonstrate(context: TestContext, environment: Record<string, string> = {}) {
  const running = await runService({
    COUNTERSIGN_DEMONSTRATION: 'yes',
    COUNTERSIGN_PUBLIC_BASE_URLS: here,
    ...environment,
  });
  context.after(() => running.close());
  const output: string[] = [];
  await demonstrateOnFirstStart(running.service, '', { write: (text) => output.push(text) });
  return { running, output: output.join('') };
}

const features = (answer: Answer) => answer.json()['features'] as Record<string, unknown>;
const stateAt = (running: RunningService, host: string): Promise<Answer> =>
  running.send({ method: 'GET', url: '/portal/auth/state', headers: { Host: host } });

describe('the people of the demonstration', () => {
  test('are nobody without it: the start prints a link that makes the first person', async (context) => {
    const { running, output } = await demonstrate(context, { COUNTERSIGN_DEMONSTRATION: 'no' });
    const state = features(await stateAt(running, 'localhost:8421'));
    assert.deepEqual(
      [state['isDemonstration'], state['needsSetUp'], state['demonstration']],
      [false, true, undefined],
    );
    assert.match(
      output,
      /^Nobody can sign in yet\. .+:\n {2}http:\/\/localhost:8421\/portal\/set-up#token=[\w-]{43}$/m,
    );
  });

  const elsewhere = {
    'it is called by another name': { COUNTERSIGN_PUBLIC_BASE_URLS: `${here},https://demo.example` },
    'it listens for everybody': { COUNTERSIGN_HOST: '0.0.0.0' },
    'a proxy stands before it': { COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1' },
  };
  for (const [when, environment] of Object.entries(elsewhere)) {
    test(`are shown to nobody when ${when}`, async (context) => {
      const { running } = await demonstrate(context, environment);
      const state = features(await stateAt(running, 'localhost:8421'));
      assert.deepEqual([state['isDemonstration'], state['demonstration']], [true, undefined]);
    });
  }

  test('are made once, printed at each start, and the owner is offered on the page', async (context) => {
    const { running, output } = await demonstrate(context);
    assert.equal(statSync(demoPeopleFile(running.dataFolder)).mode & 0o777, 0o600);
    const state = features(await stateAt(running, 'localhost:8421'));
    const { email, password } = state['demonstration'] as { email: string; password: string };
    assert.ok(output.includes(`as owner     ${email}  ${password}`), output);
    assert.equal(JSON.stringify(state).includes('operator'), false);
    assert.equal(state['arePasskeysPossible'], true);
    assert.equal(features(await stateAt(running, '127.0.0.1:8421'))['arePasskeysPossible'], false);
    const again: string[] = [];
    await demonstrateOnFirstStart(running.service, '', { write: (text) => again.push(text) });
    assert.ok(again.join('').includes(password));
    const answer = await running.send({
      method: 'POST',
      url: '/portal/auth/sign-in',
      headers: {
        Host: 'localhost:8421',
        Origin: 'http://localhost:8421',
        'Countersign-CSRF': '1',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ email, password }),
    });
    assert.deepEqual(answer.json(), { next: 'portal' });
  });

  test('without a portal there is nothing of all this', async (context) => {
    const { running, output } = await demonstrate(context, { COUNTERSIGN_PORTAL: 'no' });
    assert.equal(running.service.people, undefined);
    assert.doesNotMatch(output, /[Pp]ortal/);
    // As any path that only clients may ask for.
    assert.equal((await stateAt(running, 'localhost:8421')).status, 401);
  });
});

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ConfigurationError, createLogger, loadConfiguration, startService } from '@countersign/server';
import { refuse } from '@countersign/signature/profile';
import {
  type Answer,
  publishedKeyPair,
  type RunningService,
  runService,
} from '@countersign/testing/running-service';
import { TestClock } from '@countersign/testing/test-clock';
import { readScenarios, type Scenario, type ScenarioStep, variants } from './scenario.ts';

/* Every scenario of vectors/profile/replay.json, as requests to a service whose clocks the test sets. */

const file = readScenarios();

/** A service that knows the clients of the vectors. */
interface Scene {
  readonly running: RunningService;
  readonly clock: TestClock;
  /** What the guard has let pass, and whether it answers at all. */
  readonly guard: { passed: number; isDown: boolean };
}

async function openScene(t: TestContext, environment: Readonly<Record<string, string>>): Promise<Scene> {
  const clock = new TestClock(file.now);
  const state = { passed: 0, isDown: false };
  const running = await runService(
    { COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1', ...environment },
    {
      nowMs: clock.nowMs,
      monotonicMs: clock.monotonicMs,
      wrapGuard: (guard) => ({
        use(signature, nowSeconds) {
          if (state.isDown) return refuse('guard_unavailable', 'it is down', { retryAfterSeconds: 5 });
          const refusal = guard.use(signature, nowSeconds);
          if (refusal === undefined) state.passed++;
          return refusal;
        },
      }),
    },
  );
  t.after(() => running.close());
  await running.change(async (registry) => {
    for (const { clientId, publicKey: name } of file.clients) {
      const { publicKey } = publishedKeyPair(name);
      const more = { network: [{ entry: '0.0.0.0' }], roles: ['payments-operator', 'administrator'] };
      await registry.addClient({ name, clientId, publicKey, ...more });
    }
  });
  return { running, clock, guard: state };
}

async function send({ running }: Scene, name: string, variant?: string | null): Promise<Answer> {
  const request = file.requests[name];
  assert.ok(request, `the vectors have the request ${name}`);
  const { method, url, headers } = request;
  const body = request.body === null ? undefined : Buffer.from(request.body.base64, 'base64');
  const change = variant ? variants[variant] : (lines: typeof headers) => lines;
  assert.ok(change, `the test knows the variant ${variant}`);
  const lines = change([...headers, ...(body ? [['Content-Length', String(body.length)] as const] : [])]);
  return running.send({ method, url, headers: lines.flat(), body });
}

/**
 * Sends a request; returns the code of its rejection, or `accepted` if it has passed all checks, whatever the
 * API then responds.
 */
async function outcomeOf(scene: Scene, name: string, variant?: string | null): Promise<string> {
  const passedBefore = scene.guard.passed;
  const answer = await send(scene, name, variant);
  const { code } = answer.json() as { code?: string };
  const isAccepted = scene.guard.passed > passedBefore;
  assert.equal(isAccepted, ![401, 403, 503].includes(answer.status), answer.text);
  if (isAccepted) return 'accepted';
  assert.ok(code, answer.text);
  if (answer.status === 503) assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
  return code;
}

/**
 * The points that the file leaves open: how this service rejects, and its policy. The default of `reject` is
 * a replay.
 */
const decided: Readonly<Record<string, string>> = {
  'replay/get': 'accepted', // an equal read within 2 s
  'replay/soon-after-restart': 'accepted', // a clean stop keeps everything, so nothing is rejected after it
  'replay/variant-signature-unpadded': 'signature_malformed',
  'replay/variant-signature-pad-bits': 'signature_malformed',
  'replay/failed-first': 'signature_invalid',
  'replay/crash': 'recently_restarted',
  'replay/clock-back': 'created_in_future',
  'replay/store-down': 'guard_unavailable',
  'replay/capacity': 'guard_full',
};

const outcomes: Readonly<Record<string, string | undefined>> = {
  accept: 'accepted',
  replay: 'signature_replayed',
  too_old: 'created_expired',
};

function expectedOutcome({ id }: Scenario, { expect }: ScenarioStep): string {
  return outcomes[expect] ?? decided[id] ?? 'signature_replayed';
}

/** The steps that are no requests. */
const actions: Readonly<Record<string, (scene: Scene) => Promise<void> | void>> = {
  '@restart': ({ running }) => running.restart(),
  '@kill': ({ running }) => running.crash(),
  '@clock:-600': ({ clock }) => clock.jump(-600),
  '@clock:+3600': ({ clock }) => clock.jump(3600),
  '@clock:-3600': ({ clock }) => clock.jump(-3600),
  '@store-down': ({ guard }) => void (guard.isDown = true),
  '@store-up': ({ guard }) => void (guard.isDown = false),
  // With one node the store is its own memory and the files beside it: only those can be emptied by others.
  '@store-flush': ({ running }) => rmSync(join(running.dataFolder, 'replay-mark.json')),
  // The scenario runs with room for four; each client may fill a quarter, and an account half.
  '@fill': async (scene) => {
    assert.equal(await outcomeOf(scene, 'post-b'), 'accepted');
    assert.equal(await outcomeOf(scene, 'post-other-client'), 'accepted');
  },
};

async function play(scene: Scene, scenario: Scenario): Promise<void> {
  let elapsedSeconds = 0;
  for (const step of scenario.steps) {
    scene.clock.pass(step.at - elapsedSeconds);
    elapsedSeconds = step.at;
    if (step.request.startsWith('@')) {
      const action = actions[step.request];
      assert.ok(action, `the test knows the action ${step.request}`);
      await action(scene);
    } else if (step.expect === 'exactly-one-of-50') {
      const all = await Promise.all(Array.from({ length: 50 }, () => send(scene, step.request)));
      const refused = all.filter((answer) => answer.status !== 201);
      assert.deepEqual([scene.guard.passed, refused.length], [1, 49]);
      for (const answer of refused) assert.equal(answer.json()['code'], 'signature_replayed');
    } else {
      const outcome = await outcomeOf(scene, step.request, step.variant);
      assert.equal(outcome, expectedOutcome(scenario, step), `${step.request} at ${step.at} s`);
    }
  }
}

describe('replay scenarios', () => {
  test('the file has all of them', () => {
    assert.ok(file.scenarios.length >= 34);
    const ids = new Set(file.scenarios.map(({ id }) => id));
    for (const id of Object.keys(decided)) assert.ok(ids.has(id), id);
  });

  for (const scenario of file.scenarios) {
    const isForSeveralNodes = scenario.steps.some((step) => step.node !== undefined);
    test(`${scenario.id}: ${scenario.title}`, async (t) => {
      const room = scenario.id === 'replay/capacity' ? { COUNTERSIGN_GUARD_ENTRIES_MAX: '4' } : {};
      const scene = await openScene(t, room);
      await (isForSeveralNodes ? assertNoSecondNode(scene) : play(scene, scenario));
    });
  }
});

/** The guard in memory serves one node. A second one is rejected before it could accept anything. */
async function assertNoSecondNode({ running }: Scene): Promise<void> {
  assert.throws(
    () =>
      loadConfiguration({
        COUNTERSIGN_NODES: '2',
        COUNTERSIGN_DATABASE_URL: 'postgresql://host/database',
        COUNTERSIGN_GUARD: 'memory',
      }),
    (error) =>
      error instanceof ConfigurationError && /COUNTERSIGN_NODES.*pass once on every node/.test(error.message),
  );
  await assert.rejects(
    startService(running.service.configuration, createLogger('silent', '')),
    /Another Countersign service is already using the data folder/,
  );
}

describe('a changed repetition is refused for what it repeats, not for what was changed', () => {
  const invalid = ['signature-unpadded', 'signature-pad-bits'];
  for (const variant of Object.keys(variants).filter((name) => !invalid.includes(name))) {
    test(`${variant} passes when it comes first, and the original is then the replay`, async (t) => {
      const scene = await openScene(t, {});
      assert.equal(await outcomeOf(scene, 'post', variant), 'accepted');
      assert.equal(await outcomeOf(scene, 'post'), 'signature_replayed');
    });
  }
});

describe('the setting COUNTERSIGN_REPEAT', () => {
  for (const [repeat, later] of [
    ['equal-reads', ['accepted', 'signature_replayed']],
    ['strict', ['signature_replayed', 'signature_replayed']],
    ['unsafe-only', ['accepted', 'accepted']],
  ] as const) {
    test(`${repeat}: an equal read after 2 s and after 3 s`, async (t) => {
      const scene = await openScene(t, { COUNTERSIGN_REPEAT: repeat });
      assert.equal(await outcomeOf(scene, 'get'), 'accepted');
      scene.clock.pass(2);
      assert.equal(await outcomeOf(scene, 'get'), later[0]);
      scene.clock.pass(1);
      assert.equal(await outcomeOf(scene, 'get'), later[1]);
      assert.equal(await outcomeOf(scene, 'post'), 'accepted');
      assert.equal(await outcomeOf(scene, 'post'), 'signature_replayed');
    });
  }
});

describe('capacity', () => {
  test('a full guard forgets nothing: what it holds stays refused, and room comes with time', async (t) => {
    const scene = await openScene(t, { COUNTERSIGN_GUARD_ENTRIES_MAX: '4' });
    assert.equal(await outcomeOf(scene, 'post-b'), 'accepted');
    assert.equal(await outcomeOf(scene, 'post'), 'guard_full'); // this client has its quarter
    assert.equal(await outcomeOf(scene, 'post-other-client'), 'accepted');
    assert.equal(await outcomeOf(scene, 'post-b'), 'signature_replayed');
    assert.equal(await outcomeOf(scene, 'post-other-client'), 'signature_replayed');
    scene.clock.pass(120);
    assert.equal(await outcomeOf(scene, 'post-fresh'), 'guard_full');
    scene.clock.pass(181);
    assert.equal(await outcomeOf(scene, 'post-b'), 'created_expired');
    assert.equal(await outcomeOf(scene, 'post-fresh'), 'accepted');
  });
});

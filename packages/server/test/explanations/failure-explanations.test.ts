import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { lonePublicKey } from '@countersign/testing/test-keys';
import type { ExplanationTask } from '../../src/explanations/explainer.ts';
import {
  type NamedFailure,
  FailureExplanations,
  type FailureExplanationsOptions,
} from '../../src/explanations/failure-explanations.ts';
import { TimeShare } from '../../src/explanations/time-share.ts';
import type { RegisteredClient } from '../../../gate/src/registry.ts';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { moveClient } from '../../src/registry/store/client-states.ts';
import { addClient } from '../../src/registry/store/clients.ts';
import type { ExplanationRow } from '../../src/request-log/records/explanations.ts';

interface Scene {
  readonly explanations: FailureExplanations;
  readonly tasks: ExplanationTask[];
  readonly kept: ExplanationRow[];
  readonly clock: { ms: number };
  readonly cost: { ms: number; isFailing: boolean };
  readonly fingerprints: Readonly<Record<string, string>>;
  failed(clientId: string, more?: Partial<NamedFailure>): NamedFailure;
  settle(): Promise<void>;
}

/** Clients `shop` and `colleague` of one account, `stranger` of another; `shop` allows explanations. */
async function scene(t: TestContext, options: Partial<FailureExplanationsOptions> = {}): Promise<Scene> {
  const { database } = await sqlite.make(t);
  const context = { nowMs: 0, keyPolicy: {}, actor: { kind: 'operator-cli', id: 'tester' } } as const;
  const clients = new Map<string, RegisteredClient>();
  const fingerprints: Record<string, string> = {};
  const { accountId } = await addAccount(database, { name: 'One' }, context);
  const { accountId: otherId } = await addAccount(database, { name: 'Other' }, context);
  for (const [clientId, account] of [
    ['shop', accountId],
    ['colleague', accountId],
    ['gone', accountId],
    ['stranger', otherId],
  ] as const) {
    const record = await addClient(
      database,
      {
        accountId: account,
        clientId,
        name: clientId,
        network: ['0.0.0.0'],
        roles: [],
        publicKey: lonePublicKey(),
      },
      context,
    );
    fingerprints[clientId] = record.keys[0]!.fingerprint;
    const { name, profile } = record;
    const allowExplanations = clientId === 'shop';
    clients.set(clientId, {
      clientId,
      accountId: account,
      name,
      status: 'active',
      profile,
      allowExplanations,
    } as RegisteredClient);
  }
  await moveClient(database, 'gone', 'revoke', context);
  const tasks: ExplanationTask[] = [];
  const kept: ExplanationRow[] = [];
  const clock = { ms: 0 };
  const cost = { ms: 1, isFailing: false };
  const explanations = new FailureExplanations({
    database,
    registry: { clientById: (clientId) => clients.get(clientId) },
    explainer: {
      run: async (task) => {
        tasks.push(task);
        await setImmediate();
        if (cost.isFailing) return undefined;
        const empty = { checks: [], base: undefined, findings: [], isComplete: true, hypotheses: 0 };
        return {
          explanation: { verdict: 'refused', ...empty },
          durationMs: cost.ms,
          cpuMs: cost.ms,
          kept: '{}',
        };
      },
    },
    rules: {
      window: { maxAgeSeconds: 300, maxFutureSeconds: 60, maxDateDifferenceSeconds: 60 },
      nonce: 'off',
    },
    baseUrls: ['https://api.example.test'],
    shownQueryParameters: new Set(),
    keep: (row) => kept.push(row),
    onError: (error) => void assert.fail(String(error)),
    monotonicMs: () => clock.ms,
    ...options,
  });
  t.after(() => explanations.close());
  let requests = 0;
  return {
    explanations,
    tasks,
    kept,
    clock,
    cost,
    fingerprints,
    failed: (clientId, more = {}) => ({
      requestId: `request_${++requests}`,
      code: 'signature_invalid',
      clientId,
      receivedAtMs: 1000,
      method: 'GET',
      targetUri: 'https://api.example.test/',
      query: '',
      rawHeaders: ['Signature-Input', 'x'],
      body: undefined,
      ...more,
    }),
    async settle() {
      for (let turn = 0; turn < 300; turn += 1) await setImmediate();
    },
  };
}

describe('explaining what was refused', () => {
  test('only requests of known clients, refused by what the request itself says', async (t) => {
    const here = await scene(t);
    here.explanations.note(here.failed('nobody'));
    for (const code of ['network_not_allowed', 'too_many_failures', 'guard_full', 'not_found'] as const)
      here.explanations.note(here.failed('shop', { code }));
    await here.settle();
    assert.equal(here.tasks.length, 0);
    assert.equal(here.explanations.figures.droppedCount, 0);
  });

  test('with the keys of the client, then of its account, ended ones too, and never of another account', async (t) => {
    const here = await scene(t);
    here.explanations.note(here.failed('shop'));
    await here.settle();
    const { candidates, options } = here.tasks[0]!;
    assert.deepEqual(
      candidates
        .map(({ clientId, fingerprint, keyState }) => [clientId, fingerprint, keyState])
        .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
      [
        ['colleague', here.fingerprints['colleague'], 'pending'],
        ['gone', here.fingerprints['gone'], 'revoked'],
        ['shop', here.fingerprints['shop'], 'pending'],
      ],
    );
    assert.equal(candidates[0]!.clientId, 'shop');
    assert.equal(options.omitBodyText, true);
    assert.equal(options.nowSeconds, 1);
    assert.equal(here.kept.length, 1);
  });

  test('for the answer only with the keys of the named client, and only when that allows it', async (t) => {
    const here = await scene(t);
    assert.equal(await here.explanations.explainNow(here.failed('colleague')), undefined);
    assert.equal(await here.explanations.explainNow(here.failed('nobody')), undefined);
    assert.equal(here.tasks.length, 0);
    assert.ok(await here.explanations.explainNow(here.failed('shop')));
    assert.deepEqual(
      here.tasks[0]!.candidates.map(({ clientId }) => clientId),
      ['shop'],
    );
    assert.equal(here.kept.length, 0);
  });

  test('one client causes so many and no more, whoever names it, and others are explained all the same', async (t) => {
    const here = await scene(t);
    for (let index = 0; index < 40; index += 1) {
      here.explanations.note(here.failed('shop'));
      await here.settle();
    }
    here.explanations.note(here.failed('stranger'));
    await here.settle();
    assert.deepEqual(here.explanations.figures, { explainedCount: 11, droppedCount: 30, usedMs: 11 });
    here.clock.ms += 10_000;
    here.explanations.note(here.failed('shop'));
    await here.settle();
    assert.equal(here.explanations.figures.explainedCount, 12);
  });

  test('no more than its share of the time: what waits goes on later, what is too much is dropped', async (t) => {
    const here = await scene(t, { waitingMax: 3 });
    here.cost.ms = 1200;
    here.explanations.note(here.failed('shop'));
    await here.settle();
    assert.equal(here.tasks.length, 1);
    assert.equal(await here.explanations.explainNow(here.failed('shop')), 'withheld');
    assert.equal(
      await here.explanations.explainNow(here.failed('colleague')),
      undefined,
      'does not allow it',
    );
    for (let index = 0; index < 5; index += 1) here.explanations.note(here.failed('colleague'));
    await here.settle();
    assert.equal(here.tasks.length, 1);
    assert.equal(here.explanations.figures.droppedCount, 3);
  });

  test('bodies that wait are bounded together', async (t) => {
    const here = await scene(t);
    const body = new Uint8Array(3 * 1024 * 1024);
    for (const clientId of ['shop', 'colleague', 'stranger', 'shop'])
      here.explanations.note(here.failed(clientId, { body }));
    assert.ok(here.explanations.figures.droppedCount >= 1);
    await here.settle();
  });

  test('what cannot be explained is counted, costs its time, and stands in nobody’s way', async (t) => {
    const here = await scene(t);
    here.cost.isFailing = true;
    here.explanations.note(here.failed('shop'));
    await here.settle();
    assert.deepEqual(here.explanations.figures, { explainedCount: 0, droppedCount: 1, usedMs: 0 });
    here.cost.isFailing = false;
    here.explanations.note(here.failed('shop'));
    await here.settle();
    assert.equal(here.explanations.figures.explainedCount, 1);
  });

  test('an error is reported, and its request counted as dropped', async (t) => {
    const errors: unknown[] = [];
    const fault = new Error('the database is gone');
    const database = new Proxy({} as FailureExplanationsOptions['database'], {
      get: () => {
        throw fault;
      },
    });
    const here = await scene(t, { database, onError: (error) => errors.push(error) });
    here.explanations.note(here.failed('shop'));
    await here.settle();
    assert.deepEqual(errors, [fault]);
    assert.equal(here.explanations.figures.droppedCount, 1);
  });

  test('closing gives up what waits', async (t) => {
    const here = await scene(t);
    for (let index = 0; index < 5; index += 1) here.explanations.note(here.failed('shop'));
    await here.explanations.close();
    assert.ok(here.tasks.length <= 1);
    here.explanations.note(here.failed('shop'));
    await here.settle();
    assert.ok(here.tasks.length <= 1);
  });
});

test('a share of the time is saved up to a limit, and spent', () => {
  let nowMs = 0;
  const time = new TimeShare(0.1, 100, () => nowMs);
  assert.equal(time.waitMs(), 0);
  time.spend(150);
  assert.equal(time.waitMs(), 510);
  nowMs += 510;
  assert.equal(time.waitMs(), 0);
  nowMs += 1_000_000;
  time.spend(99);
  assert.equal(time.waitMs(), 0);
  time.spend(2);
  assert.ok(time.waitMs() > 0);
});

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import { testKey } from '@countersign/testing/test-keys';
import { patienceMs } from '@countersign/testing/wait-until';
import type { ExplanationTask } from '../../src/explanations/explainer.ts';
import { Explainer, type ExplainerOptions } from '../../src/explanations/explainer.ts';

const nowSeconds = 1_790_000_000;

/** A request for `https:` that was signed for `http:`. */
function task(): ExplanationTask {
  const { publicKey, privateKey } = testKey(65);
  const signer = createSigner({ keyid: 'shop', privateKey, nowMs: () => nowSeconds * 1000 });
  const { headers } = signer.sign({ method: 'GET', url: 'http://api.example.test/' });
  return {
    request: {
      method: 'GET',
      targetUri: 'https://api.example.test/',
      headers: Object.entries(headers).map(([name, value]) => [name, value] as const),
      body: new Uint8Array(0),
    },
    candidates: [{ spkiPem: publicKey, fingerprint: 'SHA256:x', clientId: 'shop', keyState: 'active' }],
    options: { nowSeconds },
  };
}

function open(
  t: TestContext,
  options: Partial<ExplainerOptions> = {},
): { explainer: Explainer; errors: unknown[] } {
  const errors: unknown[] = [];
  const explainer = new Explainer({
    onError: (error) => errors.push(error),
    taskMsMax: patienceMs,
    ...options,
  });
  t.after(() => explainer.close());
  return { explainer, errors };
}

describe('the thread that explains', () => {
  test('a task that takes too long is given up, and the next one gets a new thread', async (t) => {
    const { explainer, errors } = open(t, { taskMsMax: 0 });
    const first = explainer.run(task(), 'a');
    assert.equal(await first, undefined);
    assert.equal(errors.length, 1);
    const patient = open(t);
    assert.ok(await patient.explainer.run(task(), 'a'));
  });

  test('what cannot be given to the thread fails alone', async (t) => {
    const { explainer, errors } = open(t);
    const broken = { ...task(), options: { nowSeconds, claimedBase: (() => '') as never } };
    assert.equal(await explainer.run(broken, 'a'), undefined);
    assert.equal(errors.length, 1);
    assert.ok(await explainer.run(task(), 'a'));
  });

  test('a task that throws fails alone, is reported once, and keeps its thread', async (t) => {
    const { explainer, errors } = open(t);
    let threads = 0;
    const count = (): void => void (threads += 1);
    process.on('worker', count);
    t.after(() => process.off('worker', count));
    const broken = { ...task(), candidates: undefined as never };
    const running = [explainer.run(broken, 'a'), explainer.run(task(), 'b')];
    const [failed, next] = await Promise.all(running);
    assert.equal(failed, undefined);
    assert.ok(next);
    assert.deepEqual(
      errors.map((error) => error instanceof TypeError),
      [true],
    );
    assert.equal(threads, 1);
  });

  test('so many may wait, and of one owner fewer', async (t) => {
    const { explainer } = open(t, { waitingMax: 3, waitingOfOwnerMax: 2 });
    const running = ['a', 'a', 'a', 'a', 'b', 'c'].map((owner) => explainer.run(task(), owner));
    const outcomes = await Promise.all(running);
    assert.deepEqual(
      outcomes.map((outcome) => outcome !== undefined),
      // The first one runs; two of its owner and one of another wait.
      [true, true, true, false, true, false],
    );
  });

  test('gives the explanation, and what it cost, while the event loop goes on', async (t) => {
    const { explainer } = open(t);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const outcome = await explainer.run(task(), 'a');
    clearInterval(timer);
    assert.deepEqual(
      outcome?.explanation.findings.map(({ code, certainty }) => [code, certainty]),
      [['url_scheme', 'proven']],
    );
    assert.ok(outcome.durationMs > 0);
    assert.ok(outcome.cpuMs > 0);
    assert.ok(turns > 0);
  });

  test('closing gives up what runs and what waits, and nothing begins afterwards', async (t) => {
    const { explainer } = open(t);
    const running = [explainer.run(task(), 'a'), explainer.run(task(), 'b')];
    await explainer.close();
    assert.deepEqual(await Promise.all(running), [undefined, undefined]);
    assert.equal(await explainer.run(task(), 'a'), undefined);
  });
});

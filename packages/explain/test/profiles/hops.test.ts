import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isChangedOnTheWay, type HopsExplanation, type RequestView } from '../../src/index.ts';
import { explainRequestHops } from '../../src/node.ts';
import { defineProfile, judgeBy } from '../../src/profiles/index.ts';
import {
  candidateOf,
  candidates,
  keys,
  nowSeconds,
  type Profiled,
  requestOf,
  usual,
} from './profiled-request.ts';

function viewOf(one: Profiled, name: string): RequestView {
  const { method, targetUri, headers, body } = requestOf(one);
  return { name, method, target: targetUri, headers, body };
}

function compared(
  one: Profiled,
  change: (view: RequestView) => Partial<RequestView>,
  given = candidates,
): HopsExplanation {
  const sent = viewOf(one, 'program');
  return explainRequestHops([sent, { ...sent, name: 'service', ...change(sent) }], given, {
    // A day later: when it was signed does not matter.
    nowSeconds: nowSeconds + 86_400,
    judge: judgeBy(defineProfile(one.profile)),
  });
}

function changesOf({ hops: [hop] }: HopsExplanation): readonly string[] {
  return hop!.changes.map(({ kinds, isSigned }) => `${kinds[0].code}${isSigned ? '' : ' unsigned'}`);
}

const same = (): Partial<RequestView> => ({});

describe('what changed on the way, by another profile', () => {
  for (const name of ['curl', 'agent', 'bank', 'bankByPss', 'social'] as const)
    test(`nothing, and each key proves it: ${name}`, () => {
      const { verdict, isProven } = compared(usual[name], same);
      assert.deepEqual([verdict, isProven], ['intact', true]);
    });

  test('a signed part breaks the signature', () => {
    const path = compared(usual.curl, ({ target }) => ({
      target: target.replace('/payments?', '/payments/?'),
    }));
    assert.deepEqual([path.verdict, path.isProven, isChangedOnTheWay(path)], ['broken', true, true]);
    assert.deepEqual(changesOf(path), ['trailing_slash']);
    const body = compared(usual.bankByPss, () => ({ body: Buffer.from('{"reference":"a/b","amount":9}') }));
    assert.deepEqual([body.verdict, body.isProven], ['broken', true]);
  });

  test('what the profile leaves open may change', () => {
    const { verdict, isProven, hops } = compared(usual.agent, ({ target }) => ({ target: `${target}/more` }));
    assert.deepEqual([verdict, isProven], ['intact', true]);
    assert.ok(hops[0]!.changes.every(({ isSigned }) => !isSigned));
  });

  test('a covered header of the signature that counts', () => {
    const { verdict, hops } = compared(usual.agent, ({ headers }) => ({
      headers: headers.map(([name, value]): [string, string] =>
        name === 'Signature-Agent' ? [name, value.replace('/keys', '/other')] : [name, value],
      ),
    }));
    assert.equal(verdict, 'broken');
    assert.ok(
      hops[0]!.changes.some(
        ({ header, isSigned }) => header?.toLowerCase() === 'signature-agent' && isSigned,
      ),
    );
  });

  test('what was never valid is told of RSA; of other keys only that nothing proves it', () => {
    const wrong = { base: (base: string) => `${base}\n` };
    assert.equal(compared({ ...usual.bankByPss, ...wrong }, same).verdict, 'never-valid');
    const { verdict, isProven } = compared({ ...usual.curl, ...wrong }, same);
    assert.deepEqual([verdict, isProven], ['intact', false]);
  });

  test('a key counts whoever has it and whatever became of it, and without one nothing is proved', () => {
    const revoked = candidateOf(keys.ed25519, 'client_of_someone', { keyState: 'revoked' });
    assert.equal(compared(usual.curl, same, [revoked]).isProven, true);
    assert.deepEqual(compared(usual.curl, same, []).isProven, false);
  });
});

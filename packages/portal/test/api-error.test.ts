import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, problems, request } from '@countersign/contract';
import { stepUpMethodsOf } from '../src/api/api-error.ts';
import { wordsOf } from '../src/components/problem-words.ts';
import { problemAdvice } from '#messages/problem-advice.ts';

const answer = (body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status: 403,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  });
const readRefusal = async (response: Response): Promise<ApiError> => {
  const call = request(() => Promise.resolve(response), { method: 'GET', target: '/' });
  const error: unknown = await call.catch((reason: unknown) => reason);
  assert.ok(error instanceof ApiError);
  return error;
};
const problem = { code: 'step_up_required', title: 'Title', detail: 'Detail' };

describe('answers that are no success', () => {
  for (const body of ['', '<html>', 'null', '[]', '{"code":1,"title":"t","detail":"d"}', '{"code":"x"}']) {
    it(`are unreadable as ${JSON.stringify(body)}, and still in words`, async () => {
      const error = await readRefusal(answer(body));
      assert.equal(error.code, 'answer_unreadable');
      assert.equal(error.status, 403);
      assert.ok(wordsOf(error).detail.includes('403'));
    });
  }

  it('keep only well-formed errors of members', async () => {
    const errors = [null, 'x', { pointer: 1, detail: 'd' }, { pointer: '/name', detail: 'Too long.' }];
    const error = await readRefusal(answer({ ...problem, errors }));
    assert.deepEqual(error.errors, [{ pointer: '/name', detail: 'Too long.' }]);
  });

  it('ask for nothing but known proofs, and for the password when the service does not say', async () => {
    const methods = ['totp', 'retina', 7, 'passkey', 'identity-provider'];
    assert.deepEqual(stepUpMethodsOf(await readRefusal(answer({ ...problem, methods }))), [
      'totp',
      'passkey',
      'identity-provider',
    ]);
    for (const none of [undefined, 'totp'])
      assert.deepEqual(stepUpMethodsOf(await readRefusal(answer({ ...problem, methods: none }))), [
        'password',
      ]);
    // A person without any proof gets that message, and no prompt for a password that they do not have.
    for (const nothing of [[], ['retina']])
      assert.deepEqual(stepUpMethodsOf(await readRefusal(answer({ ...problem, methods: nothing }))), []);
  });

  it('say how long to wait', async () => {
    const body = { ...problem, code: 'too_many_attempts' };
    const words = async (seconds: string): Promise<string> =>
      wordsOf(await readRefusal(answer(body, { 'Retry-After': seconds }))).detail;
    assert.match(await words('1'), /Try again in 1 second\.$/);
    assert.match(await words('600'), /Try again in 10 minutes\.$/);
    assert.doesNotMatch(await words('-1'), /Try again in/);
  });

  it('have words for codes that exist, and only for those', () => {
    assert.deepEqual(
      Object.keys(problemAdvice).filter((code) => !Object.hasOwn(problems, code)),
      [],
    );
  });

  it('have words for what is no answer at all', () => {
    for (const error of [new TypeError('x'), undefined, 'text', { code: 'not_found' }])
      assert.match(wordsOf(error).title, /went wrong/);
  });
});

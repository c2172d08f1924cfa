import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '@countersign/testing/running-service';
import { type ProblemCode, problems } from '../../packages/contract/src/index.ts';
import { provocations } from './refusals.ts';
import { readDocument } from './run-block.ts';
import { codesIn, section } from './tables.ts';

const { text, markdown } = readDocument('docs/errors.md');

describe('docs/errors.md', () => {
  it('has the codes in the order of the table of problems', () => {
    const headings = markdown.headings
      .map((heading) => heading.text)
      .filter((heading) => heading.includes('_'));
    assert.deepEqual(headings, Object.keys(problems));
  });

  it('names no other codes', () => {
    const parameters = ['rsa_v1_5'];
    const unknown = codesIn(text).filter(
      (code) => !Object.hasOwn(problems, code) && !parameters.includes(code),
    );
    assert.deepEqual(unknown, []);
  });

  it('has examples that come from the service, but for codes that need an outage', () => {
    const left = Object.keys(problems).filter((code) => !Object.hasOwn(provocations, code));
    assert.deepEqual(left, [
      'upstream_failed',
      'upstream_busy',
      'upstream_timeout',
      'storage_unavailable',
      'outcome_unknown',
      'shutting_down',
    ]);
  });

  it('says what each code is and gives an example', () => {
    for (const code of Object.keys(problems)) {
      assert.match(section(text, `\`${code}\``), /\n\nStatus \d{3}\. [A-Z`][^]*\n- Example: `.+`\n/, code);
    }
  });

  it('shows a refusal in full', async (t) => {
    const shown = JSON.parse(markdown.fences[0]?.text ?? '') as Record<string, unknown>;
    const answered = (await provocations.created_expired!(t)) as Answer;
    const { requestId, type, ...others } = answered.json();
    assert.match(String(requestId), /^request_[0-9a-z]{26}$/);
    assert.deepEqual(shown, { ...others, requestId: shown['requestId'], type: shown['type'] });
    assert.equal(new URL(String(type)).pathname + new URL(String(type)).hash, '/docs/errors#created_expired');
  });

  for (const code of Object.keys(problems) as ProblemCode[]) {
    it(`has a true example for ${code}`, async (t) => {
      const example = /\n- Example: `(.+)`/.exec(section(text, `\`${code}\``))?.[1] ?? 'no example';
      const provoke = provocations[code];
      if (provoke === undefined) {
        assert.equal(example, problems[code].title);
        return;
      }
      const answer = await provoke(t);
      const told = typeof answer === 'string' ? answer : answer.text;
      if (typeof answer !== 'string') assert.equal(answer.json()['code'], code, told);
      assert.ok(told.includes(JSON.stringify(example).slice(1, -1)), `${example}\n${told}`);
    });
  }
});

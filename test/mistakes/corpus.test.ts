import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findings } from '@countersign/explain';
import { makeAccount } from './account.ts';
import { parts, readAccount, readCases } from './corpus.ts';
import { planned, slipsOf } from './plan/planned.ts';
import type { Maker } from './plan/slips.ts';
import { verifierOf } from './verdict.ts';

const casesMin = 150;
/** Every finding of the first release. Later ones may have their case in the explainer's tests instead. */
const codesMin = 125;
const verdictOf = verifierOf(readAccount());
const makers = Object.keys(slipsOf) as Maker[];

describe('vectors/mistakes', () => {
  it('has enough single mistakes and enough pairs, by every maker', () => {
    for (const part of ['single', 'pairs'] as const) {
      const cases = readCases(part);
      assert.ok(cases.length >= casesMin, `${part}: ${cases.length}`);
      assert.deepEqual(new Set(cases.map(({ maker }) => maker)), new Set(makers));
    }
  });

  it('says one mistake of each single, and more of each pair', () => {
    for (const { id, mistakes } of readCases('single')) assert.equal(mistakes.length, 1, id);
    for (const { id, mistakes } of readCases('pairs')) assert.ok(mistakes.length > 1, id);
    for (const { id, mistakes } of readCases('correct')) assert.equal(mistakes.length, 0, id);
  });

  it('has a case for every code that the tests of the explainer do not name, and no unknown code', () => {
    const codes = new Set(Object.keys(findings));
    const tests = [
      'explain.test.ts',
      'mistakes.ts',
      'ed25519.test.ts',
      'ecdsa.test.ts',
      'profiles/mistakes.test.ts',
    ]
      .map((name) => readFileSync(new URL(`../../packages/explain/test/${name}`, import.meta.url), 'utf8'))
      .join('\n');
    const tested = new Set([...tests.matchAll(/(\w+) (?:proven|observed|likely)/g)].map(([, code]) => code!));
    const cases = [...readCases('single'), ...readCases('pairs')];
    const named = new Set(cases.flatMap(({ mistakes }) => mistakes));
    assert.deepEqual(
      [...named].filter((code) => !codes.has(code)),
      [],
    );
    assert.deepEqual(
      [...codes].filter((code) => !named.has(code) && !tested.has(code)),
      [],
    );
    assert.ok(named.size >= codesMin, `${named.size} codes have a recorded request`);
    const others = cases.flatMap(({ sameAs, alsoTrue }) => [
      ...Object.values(sameAs ?? {}).flat(),
      ...(alsoTrue ?? []),
    ]);
    assert.deepEqual(
      [...new Set(others)].filter((code) => !codes.has(code)),
      [],
    );
  });

  it('has ids that name one case each, and descriptions that are a sentence', () => {
    const cases = parts.flatMap((part) => readCases(part));
    assert.equal(new Set(cases.map(({ id }) => id)).size, cases.length);
    for (const { id, description } of cases) assert.match(description, /^The client [^\n]+\.$/, id);
  });

  it('has requests that the verifier refuses', () => {
    for (const one of [...readCases('single'), ...readCases('pairs')])
      assert.notEqual(verdictOf(one), undefined, one.id);
  });

  it('has right requests of every maker that the verifier accepts', () => {
    const cases = readCases('correct');
    assert.deepEqual(new Set(cases.map(({ maker }) => maker)), new Set(makers));
    for (const one of cases) assert.equal(verdictOf(one), undefined, one.id);
  });

  it('is what the plan says, with the account of the plan', () => {
    const plans = makers.flatMap((maker) => planned(maker));
    for (const part of parts) {
      const expected = plans.filter((plan) => plan.part === part).map((plan) => plan.expected);
      const written = readCases(part).map(
        ({ request: _request, context: _context, claimedBase: _claimedBase, ...rest }) => rest,
      );
      assert.deepEqual(written, expected, part);
    }
    assert.deepEqual(readAccount(), makeAccount());
  });

  it('has no mistake in a maker that no case makes, and none in a plan that its maker does not know', () => {
    for (const [maker, file] of Object.entries(makerFiles) as [Maker, string][]) {
      const path = fileURLToPath(new URL(`makers/${file}`, import.meta.url));
      assert.ok(existsSync(path), path);
      const source = readFileSync(path, 'utf8');
      const asked = new Set([...source.matchAll(askings[maker])].map(([, name]) => name!));
      const listed = slipsOf[maker].map(({ name }) => name);
      assert.deepEqual(
        [...asked].filter((name) => !listed.includes(name)),
        [],
        file,
      );
      assert.deepEqual(
        listed.filter((name) => !source.includes(name) && !/^signs_(sha|md5)/.test(name)),
        [],
        file,
      );
    }
  });
});

const makerFiles: Record<Maker, string> = {
  python: 'signer.py',
  java: 'Signer.java',
  php: 'signer.php',
  node: 'signer.mjs',
  shell: 'signer.sh',
};

/** How each maker's code asks for a mistake. */
const askings: Record<Maker, RegExp> = {
  python: /job\.has\("(\w+)"\)/g,
  java: /has\("(\w+)"\)/g,
  php: /->has\('(\w+)'\)/g,
  node: /job\.has\('(\w+)'\)/g,
  shell: /\bhas (\w+)(?=;| \|\|)/g,
};

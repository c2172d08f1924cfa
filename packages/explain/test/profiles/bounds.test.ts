import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { countBlocks } from '@countersign/testing/counted-work';
import { explain, portableHashes, portableSha256, type RequestToExplain } from '../../src/index.ts';
import { defineProfile, judgeBy } from '../../src/profiles/index.ts';
import { explainRequest } from '../../src/node.ts';
import { candidates, explained, nowSeconds, type Profiled, requestOf, usual } from './profiled-request.ts';

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');

describe('explanations by other profiles within their bounds', () => {
  for (const [name, one] of Object.entries(usual))
    test(`${name}: nothing is proved about bytes that no key signed`, () => {
      for (let round = 0; round < 8; round++) {
        const size = name === 'social' ? 256 : 64;
        const { findings, verdict } = explained(
          { ...one, sign: () => randomBytes(size) },
          { hypothesesMax: 2000 },
        );
        assert.equal(verdict, 'refused');
        assert.deepEqual(
          findings.filter(({ certainty }) => certainty === 'proven'),
          [],
        );
      }
    });

  test('nothing is proved about a text that is not among those that are tried', () => {
    for (const one of Object.values(usual)) {
      const { findings } = explained({ ...one, base: () => 'something else' }, { hypothesesMax: 4000 });
      assert.deepEqual(
        findings.filter(({ certainty }) => certainty === 'proven'),
        [],
      );
    }
  });

  const { agent } = usual;
  const hostile: Readonly<Record<string, Partial<Profiled>>> = {
    'a hundred members': {
      input: (member) =>
        `${many(100, (index) => `s${index}=("@authority");created=1;tag="web-bot-auth", `)}${member}`,
    },
    'a header of 16 KB that is covered': {
      headers: [...agent.headers, ['X-Long', 'a, '.repeat(5400)]],
      lines: [...agent.lines, ['"x-long"', 'a, '.repeat(5400).trim()]],
      base: (base) => `${base}?`,
    },
    'a Signature-Input of 16 KB': { params: `${agent.params};x="${'y'.repeat(15_500)}"` },
    'sixty-four components': {
      headers: [
        ...agent.headers,
        ...Array.from({ length: 62 }, (_, index): [string, string] => [`X-${index}`, 'y']),
      ],
      lines: [...agent.lines, ...Array.from({ length: 62 }, (_, index) => [`"x-${index}"`, 'y'] as const)],
      base: (base) => `${base}?`,
    },
    'a Signature of nothing but colons': { write: () => ':'.repeat(16_000) },
    'a dictionary of a thousand agents': {
      headers: [
        ['Host', 'shop.example.test'],
        ['Signature-Agent', many(1000, (index) => `a${index}="x", `)],
      ],
    },
  };
  for (const [title, change] of Object.entries(hostile))
    test(`${title} is explained within the budget`, async () => {
      const request = requestOf({ ...agent, ...change });
      const judge = judgeBy(defineProfile(agent.profile));
      let looks = 0;
      const options = { nowSeconds, judge, budgetMs: 50, monotonicMs: () => (looks += 1) };
      let verdict = '';
      const blocks = await countBlocks(/\/packages\/(?:explain|signature)\/src\//, () => {
        ({ verdict } = explainRequest(request, candidates, options));
      });
      assert.equal(verdict, 'refused');
      assert.ok(looks <= options.budgetMs + 8, `${looks} looks at the clock`);
      assert.ok(blocks <= blocksMax, `${blocks} blocks of code`);
    });
  const blocksMax = 3_000_000;

  test('the portable entry point finds the same as that of Node', () => {
    const inPage = (request: RequestToExplain, judge: ReturnType<typeof judgeBy>) =>
      explain(request, candidates, {
        nowSeconds,
        judge,
        sha256: portableSha256,
        hashes: portableHashes,
        hypothesesMax: 20_000,
      });
    for (const one of Object.values(usual)) {
      const judge = judgeBy(defineProfile(one.profile));
      for (const base of [(text: string) => text, (text: string) => `${text}\n`]) {
        const request = requestOf({ ...one, base });
        const onNode = explainRequest(request, candidates, {
          nowSeconds,
          judge,
          hypothesesMax: 20_000,
          budgetMs: 60_000,
        });
        assert.deepEqual(inPage(request, judge).findings, onNode.findings);
        assert.equal(
          onNode.findings.every(({ certainty }) => certainty === 'proven'),
          true,
        );
      }
    }
  });
});

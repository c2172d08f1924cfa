import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { countBlocks } from '@countersign/testing/counted-work';
import { explain, type RequestToExplain } from '../src/index.ts';
import { explainRequest } from '../src/node.ts';
import { candidates, contentDigest, makeRequest, nowSeconds } from './mistaken-request.ts';
import { proofsOfUnrelated } from './unrelated-request.ts';

describe('explain within its limits', () => {
  // `npm run test:mistakes` takes 10,000.
  test('200 unrelated requests: nothing is proved, and nothing thrown', () => {
    assert.deepEqual(proofsOfUnrelated(200, 20_260_527, 1000), []);
  });

  const many = (size: number, make: (index: number) => string): string =>
    Array.from({ length: size }, (_, index) => make(index)).join('');
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  const wide = JSON.stringify(
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index])),
  );
  const wrongBase = { base: () => 'nothing that is known' };
  const hostile: Readonly<Record<string, () => RequestToExplain>> = {
    'a long query': () =>
      makeRequest({ ...wrongBase, uri: `https://a.test/?${many(1000, (index) => `p${index}=%20&`)}` }),
    'a long path': () => makeRequest({ ...wrongBase, uri: `https://a.test${many(2000, () => '/..')}` }),
    'a path of percent signs': () =>
      makeRequest({ ...wrongBase, uri: `https://a.test/${'%C3%A9'.repeat(1300)}` }),
    'many headers': () =>
      makeRequest({
        ...wrongBase,
        headers: (lines) => [
          ...lines,
          ...Array.from({ length: 2000 }, (_, index): [string, string] => [`X-${index}`, 'y'.repeat(500)]),
        ],
      }),
    'a header again and again': () =>
      makeRequest({
        headers: (lines) => [
          ...lines,
          ...Array.from({ length: 2000 }, (): [string, string] => ['Signature', 'a, '.repeat(300)]),
        ],
      }),
    'a deep body': () => makeRequest({ ...wrongBase, body: Buffer.from(deep), digest: contentDigest('x') }),
    'a wide body': () => makeRequest({ ...wrongBase, body: Buffer.from(wide), digest: contentDigest('x') }),
    'a large body': () =>
      makeRequest({ ...wrongBase, body: Buffer.alloc(1024 * 1024, 'a\n'), digest: contentDigest('x') }),
    'a string of escaped quotes without an end': () =>
      makeRequest({
        ...wrongBase,
        body: Buffer.from(`"${'\\\\"'.repeat(8000)}`),
        digest: contentDigest('x'),
      }),
    'a bomb': () =>
      makeRequest({
        ...wrongBase,
        body: gzipSync(Buffer.alloc(64 * 1024 * 1024)),
        digest: contentDigest('x'),
      }),
    'a Signature-Input of quotes': () =>
      makeRequest({
        headers: (lines) =>
          lines.map(([name, value]) => [
            name,
            name === 'Signature-Input' ? `sig=(${'"\\'.repeat(2000)}` : value,
          ]),
      }),
    'a Signature-Input of semicolons': () =>
      makeRequest({
        headers: (lines) =>
          lines.map(([name, value]) => [
            name,
            name === 'Signature-Input' ? `sig=()${';a=("'.repeat(1500)}` : value,
          ]),
      }),
    'many components': () =>
      makeRequest({
        ...wrongBase,
        params: `(${many(400, (index) => `"c${index}" `)});created=1;keyid="client_01kown"`,
      }),
    'a Signature of spaces': () => makeRequest({ write: () => `sig=:${' '.repeat(100_000)}:` }),
    'a date of digits': () => makeRequest({ ...wrongBase, date: '1'.repeat(8000) }),
    'a digest of equals signs': () => makeRequest({ ...wrongBase, digest: 'sha-256='.repeat(900) }),
    'a host in Punycode': () =>
      makeRequest({ ...wrongBase, uri: `https://${many(60, () => 'xn--99999999999999999.')}test/` }),
    'lone surrogates': () =>
      makeRequest({ ...wrongBase, method: '\uD800', uri: 'https://a.test/\uDC00?\uD800' }),
    nothing: () => ({ method: '', targetUri: '', headers: [] }),
  };

  const blocksMax = 600_000;
  for (const [title, make] of Object.entries(hostile)) {
    test(`${title} is explained within the budget`, async () => {
      const request = make();
      // A clock that advances a millisecond with each reading, so that the counts are the same on every machine.
      let looks = 0;
      const options = { nowSeconds, budgetMs: 50, monotonicMs: () => (looks += 1) };
      let verdict = '';
      const blocks = await countBlocks(/\/packages\/(?:explain|signature)\/src\//, () => {
        ({ verdict } = explainRequest(request, candidates, options));
      });
      assert.equal(verdict, 'refused');
      assert.ok(looks <= options.budgetMs + 5, `${looks} looks at the clock`);
      // Three times the costliest: this also bounds work that the budget does not see.
      assert.ok(blocks <= blocksMax, `${blocks} blocks of code`);
    });
  }

  // After a percent sign, printf reads a number as a width. A text of such a width must not even be built.
  const wideFormats: Readonly<Record<string, string>> = {
    'an escaped space before a hash': 'after%2012345678e9ab',
    'one wide format': '%99999999d',
    'a thousand wide formats': '%99999d'.repeat(1000),
    'formats of many times the length': '%299d'.repeat(1500),
    'a width of zeros': `%${'0'.repeat(7000)}`,
  };
  for (const [title, value] of Object.entries(wideFormats)) {
    test(`${title} neither throws nor ends the search`, () => {
      const hypothesesOf = (query: string): number => {
        const request = makeRequest({
          uri: `https://api.example.test/v1/commits?q=${query}`,
          base: (base) => base.replace('POST', 'POSTx'),
        });
        const limits = { nowSeconds, budgetMs: 60_000, hypothesesMax: 64_000 };
        return explainRequest(request, candidates, limits).hypotheses;
      };
      const plain = hypothesesOf(value.replace(/%\d+/g, (format) => 'x'.repeat(format.length)));
      assert.ok(hypothesesOf(value) >= plain * 0.5, `${hypothesesOf(value)} of ${plain}`);
    });
  }

  test('a machine that is a hundred times slower finds the same', () => {
    const request = makeRequest(wrongBase);
    const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');
    const slow = { nowMs: 0 };
    const at = (msPerLook: number) =>
      explain(request, candidates, {
        nowSeconds,
        sha256,
        hypothesesMax: 20_000,
        budgetMs: 2000,
        monotonicMs: () => (slow.nowMs += msPerLook),
      });
    assert.deepEqual(at(1), at(0.01));
  });

  test('without a clock the number of hypotheses ends the search', () => {
    const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');
    const { isComplete, hypotheses } = explain(makeRequest(wrongBase), candidates, {
      nowSeconds,
      sha256,
      hypothesesMax: 500,
    });
    assert.equal(isComplete, false);
    assert.ok(hypotheses <= 510, String(hypotheses));
  });
});

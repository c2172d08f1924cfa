import assert from 'node:assert/strict';
import { hash, randomBytes, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { explain, type ReceivedRequest } from '../../src/explain/index.ts';
import { explainRequest } from '../../src/node.ts';
import {
  candidates,
  contentDigest,
  explained,
  makeRequest,
  nowSeconds,
  ownKey,
  type Signed,
} from './mistaken-request.ts';

/** Numbers that are the same in every run, from a seed (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** A request of which neither the signature nor the digest has anything to do with the rest. */
function unrelatedRequest(next: (below: number) => number, key = ownKey.privateKey): ReceivedRequest {
  const letters = (count: number): string =>
    Array.from({ length: count }, () => String.fromCharCode(97 + next(26))).join('');
  const body = Buffer.from(JSON.stringify({ [letters(3)]: next(1000), [letters(4)]: letters(next(20)) }));
  const isSigned = next(4) > 0;
  const change: Partial<Signed> = {
    uri: `https://${letters(5)}.test/${letters(4)}?${letters(2)}=${letters(3)}`,
    body: next(3) === 0 ? Buffer.alloc(0) : body,
    digest: contentDigest(letters(9)),
    // A signature over a text that has nothing to do with the request, or no signature at all.
    sign: () =>
      isSigned ? sign(next(2) === 0 ? 'sha256' : 'sha1', Buffer.from(letters(40)), key) : randomBytes(256),
  };
  return makeRequest(change);
}

const runsAll = process.env['COUNTERSIGN_TEST_LONG'] === '1';

describe('explain within its limits', () => {
  const count = runsAll ? 10_000 : 500;
  test(`${count} unrelated requests: nothing is proved, and nothing thrown`, () => {
    const next = randomNumbers(20_260_527);
    for (let index = 0; index < count; index++) {
      const request = unrelatedRequest(next);
      const { findings, verdict } = explainRequest(request, candidates, {
        nowSeconds,
        hypothesesMax: 1500,
      });
      // The hash function can be told without a text that fits; it is observed then.
      const proven = findings.filter(({ certainty }) => certainty === 'proven');
      assert.deepEqual(proven, [], JSON.stringify(request.headers));
      assert.equal(verdict, 'refused');
    }
  });

  const many = (size: number, make: (index: number) => string): string =>
    Array.from({ length: size }, (_, index) => make(index)).join('');
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  const wide = JSON.stringify(
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index])),
  );
  const wrongBase = { base: () => 'nothing that is known' };
  const hostile: Readonly<Record<string, () => ReceivedRequest>> = {
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

  for (const [title, make] of Object.entries(hostile)) {
    test(`${title} is explained within the budget`, () => {
      const request = make();
      const budgetMs = 50;
      const started = performance.now();
      const before = process.cpuUsage();
      const { verdict } = explainRequest(request, candidates, { nowSeconds, budgetMs });
      const { user, system } = process.cpuUsage(before);
      assert.equal(verdict, 'refused');
      // Time that others take from this machine is not counted; what cannot be interrupted may come on top.
      const spentMs = Math.min((user + system) / 1000, performance.now() - started);
      assert.ok(spentMs < budgetMs * 6, `${spentMs.toFixed(0)} ms`);
    });
  }

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

  test('speed (not judged)', (context) => {
    const next = randomNumbers(4);
    const changes: Partial<Signed>[] = [
      { base: (base) => base.replace('https', 'http') },
      { base: (base) => `${base}\n` },
      { base: (base) => base.replace(/\?.*/, '').replaceAll('\n', '\r\n') },
      { digest: contentDigest('{\n  "reference": "a/b",\n  "amount": 1250,\n  "name": "Zoë"\n}') },
      { base: (base) => base.replace(':42', ':41') },
      wrongBase,
    ];
    const times: number[] = [];
    for (let round = 0; round < 60; round++) {
      const request = makeRequest(changes[next(changes.length)]);
      const started = performance.now();
      explainRequest(request, candidates, { nowSeconds });
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    const at = (share: number): string => `${times[Math.floor(share * (times.length - 1))]!.toFixed(1)} ms`;
    context.diagnostic(`explain: median ${at(0.5)}, 99 % ${at(0.99)}`);
    assert.equal(times.length, 60);
    assert.equal(explained(makeRequest()).verdict, 'valid');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkWaits } from '../waits/check.ts';
import { findPlaces } from '../waits/find-places.ts';
import { knownPlaces } from '../waits/known-places.ts';
import { withTree } from './temporary-tree.ts';

const imports = "import assert from 'node:assert/strict';\n";

/** The places in one test, as `kind line`. */
async function placesIn(code: string, file = 'test/a.test.ts'): Promise<readonly string[]> {
  let places: readonly string[] = [];
  await withTree({ [file]: `${imports}${code}` }, (root) => {
    places = findPlaces(root).map(({ kind, line }) => `${kind} ${line}`);
  });
  return places;
}

describe('a test that depends on how fast the machine is', () => {
  const found: readonly (readonly [what: string, code: string, place: string])[] = [
    [
      'a sleep before an assertion',
      "import { setTimeout as rest } from 'node:timers/promises';\nasync () => {\n await rest(50);\n assert.ok(true); };",
      'sleep 4',
    ],
    [
      'a sleep before a loop of assertions',
      "import { setTimeout } from 'node:timers/promises';\nasync () => { await setTimeout(50); for (const x of []) assert.ok(x); };",
      'sleep 3',
    ],
    [
      'a timer in a promise',
      'async () => { await new Promise((done) => setTimeout(done, 50)); assert.ok(true); };',
      'sleep 2',
    ],
    ['a wait of the browser', 'async () => { await page.waitForTimeout(50); assert.ok(true); };', 'sleep 2'],
    ['a clock in an assertion', 'assert.ok(Date.now() < 5);', 'clock 2'],
    [
      'a measured time',
      'const start = performance.now();\nconst tookMs = performance.now() - start;\nassert.ok(tookMs < 20, `${tookMs}`);',
      'clock 4',
    ],
    [
      'the time that a wait took',
      "async () => { const tookMs = await waitUntil(() => true, 'it');\n assert.ok(tookMs < 5000); };",
      'clock 3',
    ],
    [
      'a wait in an assertion',
      "async () => { assert.ok((await waitUntil(() => true, 'it')) < 5000); };",
      'clock 2',
    ],
  ];
  for (const [what, code, place] of found) {
    it(`is found: ${what}`, async () => assert.deepEqual(await placesIn(code), [place]));
  }

  const fine: readonly (readonly [what: string, code: string, file?: string])[] = [
    ['a wait for an event', "async () => { await once(server, 'listening'); assert.ok(true); };"],
    [
      'a sleep between two steps',
      "import { setTimeout as rest } from 'node:timers/promises';\nasync () => { await rest(5); send(); assert.ok(true); };",
    ],
    ['a clock that is an argument', 'const nowMs = Date.now();\nassert.equal(verify(nowMs), true);'],
    [
      'what a wait found',
      "async () => { const found = await waitFor(() => performance.now() - startedMs, 'it');\n assert.ok(found); };",
    ],
    ['a measurement for its own sake', 'assert.ok(performance.now() < 5);', 'test/timing/a.ts'],
  ];
  for (const [what, code, file] of fine) {
    it(`is not: ${what}`, async () => assert.deepEqual(await placesIn(code, file), []));
  }
});

describe('the known places', () => {
  const tree = { 'test/a.test.ts': `${imports}assert.ok(Date.now() < 5);\nassert.ok(Date.now() < 6);` };

  it('may not become more', async () => {
    await withTree(tree, (root) => {
      const { findings } = checkWaits(root, { 'test/a.test.ts': { clock: 1 } });
      assert.equal(findings.length, 1);
      assert.match(
        findings[0]!,
        /^test\/a\.test\.ts:2, 3 asserts the machine's own clock: .* \(2, 1 known\)\.$/,
      );
    });
  });

  it('may not stay listed when they are cured', async () => {
    await withTree(tree, (root) => {
      const known = { 'test/a.test.ts': { clock: 3 }, 'test/gone.test.ts': { sleep: 1 } };
      const { findings } = checkWaits(root, known);
      assert.deepEqual(
        findings.map((finding) => finding.split(' has ')[0]),
        ['test/a.test.ts', 'test/gone.test.ts'],
      );
      assert.match(findings[0]!, /has 2 of 3 known \(clock\): lower its number/);
    });
  });

  it('are counted', async () => {
    await withTree(tree, (root) => {
      const report = checkWaits(root, { 'test/a.test.ts': { clock: 2 } });
      assert.deepEqual(report, { findings: [], known: { sleep: 0, clock: 2 } });
    });
    assert.ok(Object.values(knownPlaces).every(({ sleep = 0, clock = 0 }) => sleep + clock > 0));
  });
});

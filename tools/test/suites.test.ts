import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { findSuites } from '../suites/find-suites.ts';
import { runSuites } from '../suites/run-suites.ts';
import { StallWatch } from '../suites/stall-watch.ts';
import type { SuiteResult } from '../suites/suite-result.ts';
import { type Tree, withTree } from './temporary-tree.ts';

const start = "import { describe, it, test } from 'node:test';\n";

/** Runs the files of the first tree, which may import those of the second. */
async function resultOf(
  tree: Tree,
  imported: Tree = {},
  ci = 'false',
): Promise<SuiteResult & { readonly output: string }> {
  let output = '';
  let result: SuiteResult | undefined;
  const show = (text: string): void => {
    output += text;
  };
  await withTree({ ...tree, ...imported }, async (root) => {
    const options = { root, folder: root, environment: { ...process.env, CI: ci }, show };
    result = await runSuites(Object.keys(tree), options);
  });
  assert.ok(result);
  return { ...result, output };
}

describe('running the tests', () => {
  it('shows a failure in full, with its place, and counts it once', async () => {
    const { failed, passed, output } = await resultOf({
      'a.test.ts': `${start}describe('outer', () => { it('inner', () => {\n throw new RangeError('too far'); }); it('well', () => {}); });`,
    });
    assert.deepEqual({ failed, passed }, { failed: 1, passed: 1 });
    assert.match(output, /^FAILED {2}a\.test\.ts:2 outer > inner$/m);
    assert.match(output, /^ {4}RangeError: too far$/m);
    assert.doesNotMatch(output, /node:internal/);
  });

  it('tells why a suite could not begin, once and before all else, and how many tests that cost', async () => {
    const code = `describe('outer', () => {
      before(() => { throw new RangeError('no database'); });
      it('one', () => {}); it('two', () => {}); describe('deeper', () => { it('three', () => {}); });
    });`;
    const { failed, output } = await resultOf({
      'a.test.ts': `import { before, describe, it } from 'node:test';\n${code}`,
    });
    assert.ok(failed > 0);
    assert.match(output, /^FAILED {2}a\.test\.ts:2 outer\n {4}RangeError: no database\n/);
    assert.match(output, /^ {4}Not run because of this: \d tests$/m);
    assert.doesNotMatch(output, /cancelled/);
  });

  it('names the file that was run, and the place of what failed, when they are not the same', async () => {
    const shared = `${start}export const tests = () => test('breaks', () => { throw new Error('bad'); });`;
    const { output, failures } = await resultOf(
      { 'a.test.ts': "import { tests } from './shared.ts';\ntests();" },
      { 'shared.ts': shared },
    );
    assert.match(output, /^FAILED {2}shared\.ts:2 breaks$/m);
    assert.match(output, /^ {8}a\.test\.ts: 0 passed \([\d.]+ s, [\d.]+ s of processor time\)$/m);
    assert.deepEqual(
      failures.map(({ file, name }) => [file, name]),
      [['a.test.ts', 'breaks']],
    );
  });

  it('names the test in which the time of a suite ran out', async () => {
    const { failed, output } = await resultOf({
      'a.test.ts': `${start}describe('outer', { timeout: 30 }, () => { it('inner', () => new Promise((end) => setTimeout(end, 300))); });`,
    });
    assert.ok(failed > 0);
    assert.match(output, /^FAILED {2}a\.test\.ts:2 outer > inner\n/m);
    assert.match(output, /timed out after 30ms/);
  });

  it('fails for a file that cannot be loaded, and runs the others', async () => {
    const { failed, passed, output } = await resultOf({
      'a.test.ts': "throw new Error('not loadable');",
      'b.test.ts': `${start}test('well', () => {});`,
    });
    assert.deepEqual({ failed, passed }, { failed: 1, passed: 1 });
    assert.match(output, /not loadable/);
    assert.match(output, /^ +b\.test\.ts: 1 passed/m);
  });

  it('fails when the process ends before its tests', async () => {
    const { failed, output } = await resultOf({
      'a.test.ts': `${start}test('exit', () => { process.exit(0); });`,
    });
    assert.equal(failed, 1);
    assert.match(output, /ended early, with exit code 0/);
  });

  it('fails when something goes on after its test', async () => {
    const late = "test('late', () => { setTimeout(() => { throw new Error('later'); }, 5); });";
    const { failed, output } = await resultOf({ 'a.test.ts': start + late });
    assert.equal(failed, 1);
    assert.match(output, /asynchronous activity after the test/);
  });

  it('fails for a file without tests', async () => {
    const { failed, output } = await resultOf({ 'a.test.ts': 'export {};' });
    assert.equal(failed, 1);
    assert.match(output, /a\.test\.ts holds no test/);
  });

  it('fails for a test that is not done yet', async () => {
    const { failed, output } = await resultOf({ 'a.test.ts': `${start}test.todo('x', () => {});` });
    assert.equal(failed, 1);
    assert.match(output, /x is marked as not done yet/);
  });

  it('lists what was skipped, by name and with the reason', async () => {
    const code =
      "describe('s', () => { it('one', { skip: 'no browser' }, () => {}); it('two', (t) => t.skip('no vectors')); });";
    const { failed, skipped, output } = await resultOf({ 'a.test.ts': start + code });
    assert.equal(failed, 0);
    assert.deepEqual(skipped, [
      { name: 's > one', reason: 'no browser' },
      { name: 's > two', reason: 'no vectors' },
    ]);
    assert.match(output, /Skipped:\n {2}s > one: no browser\n {2}s > two: no vectors\n/);
  });

  it('fails for a skip without a reason', async () => {
    const { failed, output } = await resultOf({
      'a.test.ts': `${start}describe.skip('all', () => { it('x', () => {}); });`,
    });
    assert.equal(failed, 1);
    assert.match(output, /all is skipped without a reason/);
  });

  it('fails in CI for every skip', async () => {
    const tree = {
      'a.test.ts': `${start}test('one', { skip: 'no browser' }, () => {}); test('well', () => {});`,
    };
    const { failed, passed, output } = await resultOf(tree, {}, 'true');
    assert.deepEqual({ failed, passed }, { failed: 1, passed: 1 });
    assert.match(output, /one is skipped, and CI has all that tests need/);
  });
});

describe('what a test file leaves behind', () => {
  const staying = `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', `;
  const leaving = (options: string): string => `import { spawn } from 'node:child_process';
    ${start}test('starts a program', () => { ${staying} ${options} }).unref(); });`;
  const skip = process.platform !== 'linux' && 'only Linux tells which programs are left';

  it(
    'fails a file that left a program running, in its session or out of it, and ends the program',
    { skip },
    async () => {
      const { failed, passed, output } = await resultOf({
        'a.test.ts': leaving(''),
        'b.test.ts': leaving('detached: true'),
      });
      assert.deepEqual({ failed, passed }, { failed: 2, passed: 2 });
      const left = [
        ...output.matchAll(/^FAILED .* left a program running: .*setInterval.* \(process (\d+)\)$/gm),
      ];
      assert.equal(left.length, 2, output);
      // A process that has ended and waits for its parent has no command any more.
      for (const [, pid] of left) {
        const file = `/proc/${pid}/cmdline`;
        assert.equal(existsSync(file) ? readFileSync(file, 'utf8') : '', '');
      }
    },
  );

  it('is nothing when the program has been told to end', { skip }, async () => {
    const code = leaving('').replace('.unref()', ".kill('SIGTERM')");
    const { failed, passed } = await resultOf({ 'a.test.ts': code });
    assert.deepEqual({ failed, passed }, { failed: 0, passed: 1 });
  });
});

describe('running the tests by name', () => {
  it('runs those whose name or suite contains the text, as it stands', async () => {
    const tree = {
      'a.test.ts': `${start}describe('outer (a)', () => { it('first', () => {}); it('second', () => {}); }); test('bad', () => { throw new Error('bad'); });`,
      'b.test.ts': `${start}test('nothing of the kind', () => { throw new Error('bad'); });`,
    };
    const passed: number[] = [];
    await withTree(tree, async (root) => {
      for (const name of ['outer (a)', 'outer (a) first', '.*']) {
        const options = { root, folder: root, environment: process.env, show: () => undefined, name };
        const result = await runSuites(Object.keys(tree), options);
        passed.push(result.passed, result.failed);
      }
    });
    // No test has the last name, and a run of no test is a failure.
    assert.deepEqual(passed, [2, 0, 1, 0, 0, 1]);
  });
});

describe('finding the tests', () => {
  const tree: Tree = {
    'packages/a/test/deep/one.test.ts': '',
    'packages/a/test/support.ts': '',
    'packages/a/src/two.test.ts': '',
    'packages/a/node_modules/x/test/three.test.ts': '',
    'test/four.test.ts': '',
    'tools/test/five.test.ts': '',
  };
  const cases: readonly (readonly [filters: readonly string[], found: readonly string[]])[] = [
    [[], ['packages/a/test/deep/one.test.ts', 'test/four.test.ts', 'tools/test/five.test.ts']],
    [
      ['four', 'tools'],
      ['test/four.test.ts', 'tools/test/five.test.ts'],
    ],
    [['nothing'], []],
  ];
  for (const [filters, found] of cases) {
    it(`finds ${found.length} files for the filters [${filters.join(', ')}]`, async () => {
      await withTree(tree, (root) => assert.deepEqual(findSuites(root, filters), found));
    });
  }
});

describe('the watch for a run that stands still', () => {
  const enqueue = { type: 'test:enqueue', data: { testId: 1, name: 'slow' } } as TestEvent;
  const complete = { type: 'test:complete', data: { testId: 1, name: 'slow' } } as TestEvent;
  const patience = { testSeconds: 0.02, endSeconds: 0.01 };

  /** Resolves with the first message of a watch that sees `events`. */
  const firstMessage = (events: readonly TestEvent[]): Promise<string> =>
    new Promise((resolve) => {
      const watch = new StallWatch(resolve, patience);
      for (const event of events) watch.see(event);
    });

  it('names the tests that are not done', async () => {
    assert.match(await firstMessage([enqueue]), /Not done: slow$/);
  });

  it('names what keeps the process alive after the last test', async () => {
    const kept = setInterval(() => undefined, 1000);
    const message = await firstMessage([enqueue, complete]);
    clearInterval(kept);
    assert.match(message, /kept alive by what one of them left open: .*Timeout/);
  });

  it('is silent when it is stopped', async () => {
    const messages: string[] = [];
    const stopped = new StallWatch((message) => messages.push(message), patience);
    stopped.see(enqueue);
    stopped.stop();
    // A later watch with the same timeout fires: the first one would have fired before.
    await firstMessage([enqueue]);
    assert.deepEqual(messages, []);
  });
});

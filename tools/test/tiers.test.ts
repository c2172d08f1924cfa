import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findSuites } from '../suites/find-suites.ts';
import { programSuites } from '../suites/program-suites.ts';
import { runTiers, type TierResult } from '../suites/run-tiers.ts';
import { secondTryRules, whyNoSecondTry } from '../suites/second-tries.ts';
import { summaryOf } from '../suites/summary.ts';
import { everyDatabase, starters, tiersIn } from '../suites/tiers.ts';
import { type Tree, withTree } from './temporary-tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const start = "import { test } from 'node:test';\nimport { existsSync, writeFileSync } from 'node:fs';\n";

/** A test that fails when it runs for the first time in its tree, and passes from then on. */
const flaky = (name: string, mark: string): string =>
  `${start}test(${JSON.stringify(name)}, () => {
    if (existsSync('${mark}')) return;
    writeFileSync('${mark}', '');
    throw new Error('the browser was late');
  });`;
const red = `${start}test('breaks', () => { throw new Error('always'); });`;
const green = `${start}test('well', () => {});`;

interface Ran extends TierResult {
  readonly output: string;
  readonly last: readonly string[];
  readonly isWell: boolean;
}

async function ranIn(
  tree: Tree,
  tiers: Partial<Record<'pure' | 'programs', readonly string[]>>,
): Promise<Ran> {
  const { pure = [], programs = [] } = tiers;
  let output = '';
  let result: TierResult | undefined;
  await withTree(tree, async (folder) => {
    const show = (text: string): void => void (output += text);
    const environment = { ...process.env, CI: 'false' };
    result = await runTiers({ pure, programs }, { root: folder, environment, show });
  });
  assert.ok(result);
  const choice = { pure, programs, left: [], lines: [], isNarrowed: false };
  const { isWell, lines } = summaryOf({ checks: [], failedChecks: [], choice, tests: result, seconds: 1 });
  return { ...result, output, last: lines, isWell };
}

describe('the pure tier', () => {
  it('has no second try', async () => {
    const file = 'packages/cli/test/a.test.ts';
    const { failed, isWell, output } = await ranIn({ [file]: flaky('starts', 'mark') }, { pure: [file] });
    assert.deepEqual({ failed, isWell }, { failed: 1, isWell: false });
    assert.doesNotMatch(output, /once more/);
  });

  it('refuses a test that starts a program, and says where to list it', async () => {
    for (const call of [
      "spawn('nginx')",
      "execFileSync('/usr/bin/redis-server')",
      "exec('psql --version')",
    ]) {
      const code = `import { exec, execFileSync, spawn } from 'node:child_process';
        ${start}test('starts', () => { ${call}; });`;
      const { failed, output } = await ranIn({ 'a.test.ts': code }, { pure: ['a.test.ts'] });
      assert.equal(failed, 1, call);
      assert.match(
        output,
        /A test of the pure tier starts .*\. List its file in tools\/suites\/program-suites\.ts/,
      );
    }
  });

  it('may start what every checkout has', async () => {
    const code = `import { execFile, execFileSync } from 'node:child_process'; import { promisify } from 'node:util';
      ${start}test('starts', async () => {
        execFileSync('sh', ['-c', 'true']); execFileSync('git', ['--version']);
        const { stdout } = await promisify(execFile)(process.execPath, ['--version']);
        if (stdout.trim() !== process.version) throw new Error(stdout);
      });`;
    const { passed, output } = await ranIn({ 'a.test.ts': code }, { pure: ['a.test.ts'] });
    assert.equal(passed, 1, output);
  });
});

describe('the tier of programs', () => {
  const late = 'test/portal/late.test.ts';

  it('runs each file in a process of its own, and every file once', async () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `test/${name}.test.ts`);
    const code = `${start}test('is alone', () => { if (globalThis.seen) throw new Error('shared'); globalThis.seen = true; });`;
    const { passed, failed } = await ranIn(Object.fromEntries(names.map((name) => [name, code])), {
      programs: names,
    });
    assert.deepEqual({ passed, failed }, { passed: 4, failed: 0 });
  });

  it('tries a file once more, names the test that failed, and passes', async () => {
    const tree = { [late]: flaky('shows the page', 'mark'), 'test/b.test.ts': green };
    const { failed, passed, isWell, output, last } = await ranIn(tree, { programs: Object.keys(tree) });
    assert.deepEqual({ failed, passed, isWell }, { failed: 0, passed: 2, isWell: true });
    assert.match(output, /^test\/portal\/late\.test\.ts runs once more, by itself$/m);
    assert.ok(last.includes(`flaky: ${late} › shows the page`), last.join('\n'));
    assert.ok(last.includes('    Error: the browser was late'), last.join('\n'));
    assert.match(
      last.join('\n'),
      /^ {4}failed (?:by itself|beside test\/b\.test\.ts), .* s, load .*; passed by itself, .* s, load /m,
    );
    assert.match(last.join('\n'), /^0 checks and 2 test files in 1\.0 s, 1 flaky$/m);
    assert.equal(last.at(-1), '2 passed, 0 failed, 0 skipped');
  });

  it('lets files of both tiers share a process, and runs only what failed once more', async () => {
    const pageLate = 'test/portal/c.test.ts';
    const tree = {
      'test/portal/a.test.ts': `${start}globalThis.seen = true; test('comes first', () => {});`,
      'test/portal/b.test.ts': `${start}test('is together', () => { if (!globalThis.seen) throw new Error('alone'); });`,
      [pageLate]: `${start}test('shows the page', () => {
        if (process.env.TEST_TIER === 'pure' || existsSync('mark')) return;
        writeFileSync('mark', '');
        throw new Error('the browser was late');
      });`,
    };
    const files = Object.keys(tree);
    const ran = await ranIn(tree, { pure: files, programs: files });
    assert.deepEqual([ran.passed, ran.failed, ran.isWell], [6, 0, true], ran.output);
    assert.deepEqual(
      ran.flaky.map(({ file }) => file),
      [pageLate],
    );
    assert.equal(ran.output.match(/once more/g)?.length, 1);
    assert.match(ran.output, /^test\/portal\/c\.test\.ts runs once more, by itself$/m);
  });

  it('runs each file of a process that ended early once more', async () => {
    const files = ['test/portal/a.test.ts', 'test/portal/b.test.ts'];
    const crash = `${start}test('ends', () => {
      if (process.env.TEST_TIER === 'pure' || existsSync('mark')) return;
      writeFileSync('mark', '');
      process.exit(3);
    });`;
    const ran = await ranIn({ [files[0]!]: crash, [files[1]!]: green }, { pure: files, programs: files });
    assert.deepEqual([ran.failed, ran.isWell], [0, true], ran.output);
    assert.deepEqual(
      ran.flaky.map(({ file }) => file),
      files,
    );
  });

  it('fails for a test that fails both times', async () => {
    const { failed, isWell, last } = await ranIn({ [late]: red }, { programs: [late] });
    assert.deepEqual({ failed, isWell }, { failed: 1, isWell: false });
    assert.ok(last.includes(`failed: ${late} › breaks`), last.join('\n'));
    assert.equal(last.at(-1), '0 passed, 1 failed, 0 skipped');
  });

  it('fails for three files that passed at the second try, and names them', async () => {
    const names = ['a', 'b', 'c'].map((name) => `test/portal/${name}.test.ts`);
    const tree = Object.fromEntries(names.map((name, index) => [name, flaky('shows', `mark${index}`)]));
    const { flaky: found, isWell, last } = await ranIn(tree, { programs: names });
    assert.deepEqual(found.map(({ file }) => file).toSorted(), names);
    assert.equal(isWell, false);
    assert.match(last.join('\n'), /^Failed: 3 flaky files, and more than 2 are no accident$/m);
    assert.match(last.at(-1) ?? '', /^3 passed, 3 failed, /);
  });

  const never: readonly (readonly [what: string, file: string, name: string])[] = [
    ['an accepted replay', 'test/portal/late.test.ts', 'a replay is refused'],
    ['an accepted replay, told by its folder', 'packages/server/test/replay/x.test.ts', 'works'],
    ['a lost request', 'test/rolling/x.test.ts', 'works'],
    ['what somebody else sees', 'test/portal/late.test.ts', 'shows nothing of another account'],
    ['a file of a folder that no rule names', 'elsewhere/x.test.ts', 'works'],
  ];
  for (const [what, file, name] of never) {
    it(`fails at once for ${what}`, async () => {
      const { failed, isWell, output } = await ranIn({ [file]: flaky(name, 'mark') }, { programs: [file] });
      assert.deepEqual({ failed, isWell }, { failed: 1, isWell: false });
      assert.match(output, /gets no second try: /);
    });
  }

  it('tries nothing again when many files fail: the cause is elsewhere', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `test/portal/${index}.test.ts`);
    const { failed, output } = await ranIn(Object.fromEntries(names.map((name) => [name, red])), {
      programs: names,
    });
    assert.equal(failed, 7);
    assert.doesNotMatch(output, /once more/);
  });

  it('tells a file that breaks its process from one that was late', async () => {
    const crash = `${start}test('ends', () => { process.exit(3); });`;
    const { failed, last } = await ranIn({ [late]: crash }, { programs: [late] });
    assert.equal(failed, 1);
    assert.match(
      last.join('\n'),
      /^failed: test\/portal\/late\.test\.ts › The tests ended early, with exit code 3\.$/m,
    );
  });
});

describe('the tables of the tiers', () => {
  const suites = findSuites(root);
  const tiersOf = tiersIn(root);
  const programs = suites.filter((file) => tiersOf(file).includes('programs'));

  it('name modules that exist, and are imported by tests', () => {
    for (const module of [...starters.map((starter) => starter.module), everyDatabase])
      assert.ok(existsSync(new URL(`../../${module}`, import.meta.url)), module);
  });

  it('name test files that exist, each with a reason', () => {
    for (const { path, why } of programSuites) {
      assert.ok(
        suites.some((file) => file.startsWith(path)),
        path,
      );
      assert.match(why, /^[A-Za-z].*\.$/);
    }
  });

  it('say of every file that starts programs whether it gets a second try, and nothing of others', () => {
    const uncovered = programs.filter((file) => !secondTryRules.some(({ path }) => file.startsWith(path)));
    assert.deepEqual(uncovered, []);
    const first = (file: string): unknown => secondTryRules.find(({ path }) => file.startsWith(path));
    const idle = secondTryRules.filter((rule) => !programs.some((file) => first(file) === rule));
    assert.deepEqual(
      idle.map(({ path }) => path),
      [],
      'rules that fit no file, or only files that an earlier rule has',
    );
  });

  it('give no second try to what guards against replays and losses', () => {
    for (const file of programs.filter((one) => /\/(?:replay|crash|cluster|rolling|faults|soak)\//.test(one)))
      assert.notEqual(whyNoSecondTry(file, { failures: [] }), undefined, file);
  });

  it('put tests on every database into both tiers, and nothing else', () => {
    const both = suites.filter((file) => tiersOf(file).length === 2);
    assert.ok(both.length > 0);
    assert.deepEqual(tiersOf('packages/server/test/management/outcomes.test.ts'), ['pure', 'programs']);
    assert.deepEqual(tiersOf('packages/server/test/storage/postgres.test.ts'), ['programs']);
    assert.deepEqual(tiersOf('packages/signature/test/base64.test.ts'), ['pure']);
  });
});

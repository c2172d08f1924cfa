import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Choice, chooseSuites } from '../suites/choose-suites.ts';
import { readTestArguments, type TestArguments } from '../suites/test-arguments.ts';
import { type Tree, withTree } from './temporary-tree.ts';

/** A test file that starts programs: its folder is in the table. */
const portalTest = 'test/portal/x.test.ts';

const tree: Tree = {
  'package.json': '{}',
  'docs/errors.md': '',
  'packages/a/package.json': '{ "name": "@countersign/a", "exports": { "./sums": "./src/sums.ts" } }',
  'packages/a/src/sums.ts': "export { one } from './one.ts'; import type { Two } from './two.ts';",
  'packages/a/src/one.ts': '',
  'packages/a/src/two.ts': '',
  'packages/a/src/program.ts': '',
  'packages/a/test/sums.test.ts': "import '@countersign/a/sums';",
  'packages/a/test/program.test.ts': "const program = new URL('../src/program.ts', import.meta.url);",
  'packages/a/test/data.test.ts': "const folder = 'vectors/profile/';",
  'packages/a/test/lazy.test.ts': "const { two } = await import('../src/two.ts');",
  'test/documents/errors.test.ts': '',
  'vectors/profile/keys.json': '{}',
  [portalTest]: '',
};

const asked: TestArguments = { paths: [], isAll: false, isHelp: false };

async function choiceAfter(change: Tree, more: Partial<TestArguments> = {}): Promise<Choice> {
  let choice: Choice | string | undefined;
  await withTree(tree, (root) => {
    const git = (...args: readonly string[]): void => {
      const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    };
    git('init', '--quiet', '--initial-branch=main');
    git('add', '.');
    git('commit', '--quiet', '--message=All');
    for (const [path, text] of Object.entries(change)) {
      if (text === 'gone') rmSync(join(root, path));
      else writeFileSync(join(root, path), text);
    }
    choice = chooseSuites(root, { ...asked, changedSince: 'HEAD', ...more });
  });
  assert.ok(typeof choice === 'object');
  return choice;
}

describe('the arguments of npm test', () => {
  const cases: readonly (readonly [args: string, result: Partial<TestArguments> | string])[] = [
    ['', {}],
    ['./packages/cli replay', { paths: ['packages/cli', 'replay'] }],
    ['--name stranger', { name: 'stranger' }],
    ['--name=stranger', { name: 'stranger' }],
    ['--changed', { changedSince: 'HEAD' }],
    ['--base main', { changedSince: 'main' }],
    ['--changed --base main packages', { changedSince: 'main', paths: ['packages'] }],
    ['--all', { isAll: true }],
    ['--shuffle 7', { shuffle: '7' }],
    ['-h', { isHelp: true }],
    ['--chnaged', 'There is no option --chnaged. Did you mean --changed?'],
    ['--al', 'There is no option --al. Did you mean --all?'],
    ['--named x', 'There is no option --named. Did you mean --name?'],
    ['--name', '--name needs a value.'],
    ['--shuffle', '--shuffle needs a value.'],
    ['--all=yes', '--all takes no value.'],
  ];
  for (const [args, result] of cases) {
    it(`are understood: ${args === '' ? 'none' : args}`, () => {
      const read = readTestArguments(args.split(' ').filter((word) => word !== ''));
      assert.deepEqual(read, typeof result === 'string' ? result : { ...asked, ...result });
    });
  }

  it('are explained, and a mistake in them runs nothing', () => {
    const program = fileURLToPath(new URL('../test.ts', import.meta.url));
    const run = (argument: string): ReturnType<typeof spawnSync> =>
      spawnSync(process.execPath, [program, argument], { encoding: 'utf8' });
    const help = run('--help');
    assert.equal(help.status, 0);
    assert.match(String(help.stdout), /^npm test -- --changed --base main /m);
    const mistake = run('--hlep');
    assert.equal(mistake.status, 2);
    assert.equal(mistake.stdout, '');
    assert.match(String(mistake.stderr), /^There is no option --hlep\. Did you mean --help\?\n\nnpm test /);
  });
});

describe('the choice of test files', () => {
  const changes: readonly (readonly [name: string, change: Tree, files: readonly string[]])[] = [
    ['imports', { 'packages/a/src/one.ts': 'changed' }, ['packages/a/test/sums.test.ts']],
    ['imports, types aside', { 'packages/a/src/two.ts': 'changed' }, ['packages/a/test/lazy.test.ts']],
    ['names in a string', { 'packages/a/src/program.ts': 'gone' }, ['packages/a/test/program.test.ts']],
    ['names the folder of', { 'vectors/profile/new.json': '{}' }, ['packages/a/test/data.test.ts']],
    ['reads as a document', { 'docs/errors.md': 'changed' }, ['test/documents/errors.test.ts']],
    ['is', { 'packages/a/test/lazy.test.ts': 'changed' }, ['packages/a/test/lazy.test.ts']],
  ];
  for (const [name, change, files] of changes) {
    it(`takes what ${name} a changed file`, async () => {
      const choice = await choiceAfter(change);
      assert.deepEqual([...choice.pure, ...choice.programs], files);
      const [changed] = Object.keys(change);
      assert.match(choice.lines[0] ?? '', /^1 of \d test files reach what changed since HEAD:$/);
      assert.ok(name === 'is' || choice.lines[1]?.includes(changed ?? ''), choice.lines.join('\n'));
    });
  }

  it('takes everything when what every program depends on has changed', async () => {
    const { pure, left } = await choiceAfter({ 'package.json': '{ }' });
    assert.equal(
      pure.length + left.length,
      Object.keys(tree).filter((path) => path.endsWith('.test.ts')).length,
    );
  });

  it('is empty when nothing has changed', async () => {
    assert.deepEqual((await choiceAfter({})).pure, []);
  });

  it('leaves what starts programs to --all, unless it is asked for', async () => {
    await withTree({ [portalTest]: '', 'test/short.test.ts': '' }, (root) => {
      const choose = (more: Partial<TestArguments>): Choice | string =>
        chooseSuites(root, { ...asked, ...more });
      const short = ['test/short.test.ts'];
      assert.partialDeepStrictEqual(choose({}), { pure: short, programs: [], left: [portalTest] });
      for (const more of [{ isAll: true }, { name: 'x' }, { paths: ['test/'] }])
        assert.partialDeepStrictEqual(choose(more), { pure: short, programs: [portalTest], left: [] });
      assert.partialDeepStrictEqual(choose({ paths: ['portal'] }), { pure: [], programs: [portalTest] });
    });
  });

  it('puts the files into the random order of a seed, the same each time', async () => {
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`test/${index}.test.ts`, '']));
    await withTree(files, (root) => {
      const orderOf = (shuffle: string): readonly string[] => {
        const choice = chooseSuites(root, { ...asked, shuffle });
        assert.ok(typeof choice === 'object');
        assert.equal(choice.isNarrowed, false);
        assert.match(choice.lines.join(), new RegExp(`npm test -- --shuffle ${shuffle}$`));
        return choice.pure;
      };
      assert.deepEqual(orderOf('7'), orderOf('7'));
      assert.deepEqual(orderOf('7').toSorted(), Object.keys(files));
      assert.notDeepEqual(orderOf('7'), orderOf('8'));
    });
  });

  it('says what it cannot find', async () => {
    await withTree(tree, (root) => {
      assert.equal(
        chooseSuites(root, { ...asked, paths: ['nowhere'] }),
        'There is no test file for nowhere.',
      );
      const choice = chooseSuites(root, { ...asked, changedSince: 'nothing' });
      assert.ok(typeof choice === 'string' && choice.startsWith('git does not know the revision nothing'));
    });
  });
});

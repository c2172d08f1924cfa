import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkSubjects, subjectMistake } from '../commits/commit-subjects.ts';
import { withTree } from './temporary-tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function git(folder: string, ...args: readonly string[]): string {
  const settings = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgSign=false'];
  const { status, stdout, stderr } = spawnSync('git', [...settings, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

describe('the subjects of commits', () => {
  it('may have 72 characters, whatever the body has', () => {
    assert.equal(subjectMistake(`${'é'.repeat(72)}\n\n${'b'.repeat(200)}`), undefined);
    assert.equal(subjectMistake('# a comment of the editor\nShort'), undefined);
    assert.match(subjectMistake('a'.repeat(73)) ?? '', /has 73 characters, at most 72 are allowed: a+$/);
    assert.equal(subjectMistake('\n\nbody'), 'The subject is empty.');
  });

  it('are read from the day of the rule on, in shallow clones and without a history too', async () => {
    await withTree({ 'a.txt': '' }, (folder) => {
      assert.deepEqual(checkSubjects(join(folder)), { count: 0, mistakes: [] });
      git(folder, 'init', '--quiet', '--initial-branch=main');
      const commit = (date: string, subject: string): string =>
        git(folder, 'commit', '--quiet', '--allow-empty', `--date=${date}`, `--message=${subject}`);
      commit('2020-01-01T00:00:00Z', `Old ${'a'.repeat(80)}`);
      commit('2030-01-01T00:00:00Z', 'New');
      assert.deepEqual(checkSubjects(folder), { count: 1, mistakes: [] });
      commit('2030-01-01T00:00:00Z', `New ${'a'.repeat(80)}`);
      const { count, mistakes } = checkSubjects(folder);
      assert.deepEqual([count, mistakes.length], [2, 1]);
      assert.match(mistakes[0] ?? '', /^[0-9a-f]+: The subject has 84 characters/);
      git(folder, 'clone', '--quiet', '--depth=1', `file://${folder}`, 'clone');
      assert.equal(checkSubjects(join(folder, 'clone')).count, 1);
    });
  });

  it('are checked by the hook before a commit is made', async () => {
    await withTree({ 'package.json': '{ "type": "module" }' }, (folder) => {
      for (const path of ['tools/hooks', 'tools/commits', 'tools/check-commits.ts'])
        cpSync(join(root, path), join(folder, path), { recursive: true });
      cpSync(join(root, 'node_modules/.bin/node'), join(folder, 'node_modules/.bin/node'), {
        recursive: true,
        verbatimSymlinks: false,
      });
      git(folder, 'init', '--quiet');
      git(folder, 'config', 'core.hooksPath', 'tools/hooks');
      git(folder, 'commit', '--quiet', '--allow-empty', '--message=Short');
      assert.throws(
        () => git(folder, 'commit', '--quiet', '--allow-empty', `--message=${'a'.repeat(73)}`),
        /has 73 characters/,
      );
    });
  });
});

describe('the Node of the repository', () => {
  it('is the same in .nvmrc and in package.json, for every platform', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const pinned = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
    assert.ok(pinned.length >= 5);
    const version = readFileSync(join(root, '.nvmrc'), 'utf8').trim();
    for (const [name, each] of pinned) assert.equal(each, version, name);
  });
});

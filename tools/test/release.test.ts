import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { repositoryFiles } from '../documents/repository-files.ts';
import { packAll, release, type ReleaseOptions } from '../release/release.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A portal that builds instantly, for failures that occur before it matters. */
const quickPortal = {
  'tools/build-portal.mjs': `
import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('packages/portal/dist', { recursive: true });
writeFileSync('packages/portal/dist/index.html', 'a portal');
`,
};

/** Packages that also build instantly: a release does not depend on their content. */
const quickPackages = {
  ...quickPortal,
  'tools/build.ts': `
import { copyFileSync, mkdirSync } from 'node:fs';
import { publishedPackages } from './build/published-packages.ts';
for (const { folder } of publishedPackages) {
  mkdirSync(folder + '/dist', { recursive: true });
  copyFileSync(folder + '/package.json', folder + '/dist/package.json');
}
`,
};

describe('npm run release', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-repository-'));
    for (const path of repositoryFiles(root)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      copyFileSync(join(root, path), join(folder, path));
    }
    // Exactly one list of unreleased entries, whatever has been released before.
    appendFileSync(join(folder, 'CHANGELOG.md'), '\n## Unreleased\n\n- **Something** new.\n');
    const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
    if (changelog.split('## Unreleased').length > 2)
      writeFileSync(join(folder, 'CHANGELOG.md'), changelog.replace('## Unreleased', '## 0.0.1'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'a');
    git('config', 'user.email', 'a@example.com');
    appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
    git('add', '.');
    git('commit', '--quiet', '--message=All');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const git = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  const shown: string[] = [];
  const make = (version: string, more: Partial<ReleaseOptions> = {}): Promise<void> =>
    release({
      root: folder,
      version,
      date: '2031-02-03',
      isDryRun: false,
      check: async () => [],
      show: (line) => shown.push(line),
      ...more,
    });
  /** Branches, tags, changes and worktrees: a rejected release must not touch them. */
  const state = (): string =>
    [
      git('log', '--all', '--oneline'),
      git('tag'),
      git('status', '--porcelain'),
      git('worktree', 'list'),
    ].join('\n');
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

  /** Commits changes for the time of `use`. */
  const withCommit = async (
    files: Readonly<Record<string, string>>,
    use: () => Promise<void>,
  ): Promise<void> => {
    for (const [path, text] of Object.entries(files)) write(path, text);
    git('commit', '--quiet', '--all', '--message=Changed');
    try {
      await use();
    } finally {
      git('reset', '--quiet', '--hard', 'HEAD~');
    }
  };

  const refusals: readonly (readonly [
    name: string,
    version: string,
    says: RegExp,
    change: () => () => void,
  ])[] = [
    ['no version', '1.2', /^"1\.2" is no version/, () => () => undefined],
    ['an older version', '0.0.9', /^0\.0\.9 is older than /, () => () => undefined],
    [
      'another branch',
      '7.8.9',
      /made on the branch main, this is other\.$/,
      () => {
        git('switch', '--quiet', '--create', 'other');
        return () => git('switch', '--quiet', 'main');
      },
    ],
    [
      'a tree that is not clean',
      '7.8.9',
      /not clean; commit or remove first:\n\?\? new\.txt$/,
      () => {
        write('new.txt', '');
        return () => rmSync(join(folder, 'new.txt'));
      },
    ],
    [
      'a tag that exists',
      '7.8.9',
      /^The tag v7\.8\.9 exists already\.$/,
      () => {
        git('tag', 'v7.8.9');
        return () => git('tag', '--delete', 'v7.8.9');
      },
    ],
    [
      'a changelog without entries',
      '7.8.9',
      /^CHANGELOG\.md has nothing under "## Unreleased"/,
      () => {
        write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 0.0.1\n');
        git('commit', '--quiet', '--all', '--message=No entries');
        return () => git('reset', '--quiet', '--hard', 'HEAD~');
      },
    ],
  ];
  for (const [name, version, says, change] of refusals) {
    it(`refuses ${name}, and changes nothing`, async () => {
      const undo = change();
      try {
        const stateBefore = state();
        await assert.rejects(make(version), { message: says });
        assert.equal(state(), stateBefore);
      } finally {
        undo();
      }
    });
  }

  it('refuses when a check fails, and changes nothing', async () => {
    const stateBefore = state();
    await assert.rejects(make('7.8.9', { check: async () => ['lint'] }), {
      message: 'npm run check fails: lint.',
    });
    assert.equal(state(), stateBefore);
  });

  it('leaves nothing half done when the build fails', async () => {
    await withCommit({ ...quickPortal, 'packages/cli/src/main.ts': 'not TypeScript (' }, async () => {
      const stateBefore = state();
      await assert.rejects(make('7.8.9'), /build\.ts failed: /);
      assert.equal(state(), stateBefore);
    });
  });

  it('shows with --dry-run that it would work, and changes nothing', async () => {
    await withCommit(quickPackages, async () => {
      const stateBefore = state();
      await make('7.8.9', { isDryRun: true });
      assert.equal(state(), stateBefore);
      assert.match(shown.join('\n'), /packed {2}countersign-7\.8\.9\.tgz/);
      assert.match(shown.at(-1) ?? '', /^Nothing was changed/);
    });
  });

  it('sets every version, moves the changelog, packs, commits and tags', async () => {
    await make('7.8.9');
    assert.equal(git('status', '--porcelain'), '');
    assert.equal(git('log', '-1', '--format=%s'), 'Release 7.8.9');
    assert.equal(git('cat-file', '-t', 'v7.8.9'), 'tag');
    assert.equal(git('rev-parse', 'v7.8.9^{commit}'), git('rev-parse', 'main'));
    assert.match(
      git('tag', '--list', '--format=%(contents)', 'v7.8.9'),
      /^Countersign 7\.8\.9\n\n- \*\*Something\*\* new\.$/,
    );
    assert.match(
      read('CHANGELOG.md'),
      /^## Unreleased\n\n## 7\.8\.9, 2031-02-03\n\n- \*\*Something\*\* new\.$/m,
    );
    assert.match(read('README.md'), /^Version 7\.8\.9 includes:/m);
    const tarballs = readdirSync(join(folder, 'release/7.8.9'));
    for (const name of [
      'countersign-7.8.9.tgz',
      'countersign-server-7.8.9.tgz',
      'countersign-signature-7.8.9.tgz',
    ])
      assert.ok(tarballs.includes(name), tarballs.join(' '));
    assert.equal(git('worktree', 'list').split('\n').length, 1);
  });

  it('makes the same tarballs, byte by byte, in another folder, later and under another umask', async () => {
    const elsewhere = join(mkdtempSync(join(tmpdir(), 'countersign-again-')), 'a folder');
    const packed = join(elsewhere, '..', 'packed');
    const umask = process.umask(0o077);
    try {
      git('worktree', 'add', '--quiet', '--detach', elsewhere, 'v7.8.9');
      symlinkSync(join(root, 'node_modules'), join(elsewhere, 'node_modules'), 'junction');
      // The release has checked these sources' types.
      const names = packAll(elsewhere, packed, ['--types-checked']);
      assert.deepEqual(names.toSorted(), readdirSync(join(folder, 'release/7.8.9')).toSorted());
      for (const name of names) {
        const isSame = readFileSync(join(packed, name)).equals(
          readFileSync(join(folder, 'release/7.8.9', name)),
        );
        assert.ok(isSame, `${name} differs`);
      }
    } finally {
      process.umask(umask);
      rmSync(dirname(elsewhere), { recursive: true, force: true });
      git('worktree', 'prune');
    }
  });

  it('leaves no package, and no dependency on one, at another version', () => {
    const lockfile = JSON.parse(read('package-lock.json')) as {
      version: string;
      packages: Record<string, Record<string, unknown>>;
    };
    assert.equal(lockfile.version, '7.8.9');
    for (const [path, entry] of Object.entries(lockfile.packages).filter(
      ([place]) => !place.includes('node_modules'),
    )) {
      assert.equal(entry['version'], '7.8.9', path);
      const manifest = JSON.parse(read(join(path, 'package.json'))) as Record<string, unknown>;
      assert.equal(manifest['version'], '7.8.9', path);
      for (const kind of ['dependencies', 'optionalDependencies'])
        assert.deepEqual(manifest[kind], entry[kind], `${path}: ${kind}`);
    }
    assert.equal(
      git('diff', '--name-only', 'HEAD~')
        .split('\n')
        .filter((path) => /\.tsx?$/.test(path)).length,
      0,
    );
  });

  it('refuses to release the same version again', async () => {
    await assert.rejects(make('7.8.9'), /The tag v7\.8\.9 exists already\./);
  });
});

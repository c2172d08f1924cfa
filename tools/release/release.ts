import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { publishedPackages } from '../build/published-packages.ts';
import { releasedChangelog, unreleasedEntries, versionMistake, withVersion } from './version-texts.ts';

export interface ReleaseOptions {
  /** The folder of the repository. */
  readonly root: string;
  readonly version: string;
  /** The day of the release, such as 2026-01-31. */
  readonly date: string;
  /** Does everything except the last step: no tarballs, no commit and no tag remain. */
  readonly isDryRun: boolean;
  /** Runs the static checks and returns the failed ones. */
  readonly check: () => Promise<readonly string[]>;
  readonly show: (line: string) => void;
}

/** The error of a release that is not possible; the message says why and what to do. */
export class ReleaseRefused extends Error {}

/**
 * Makes a release: sets the version, moves the unreleased entries of the changelog to it, builds the
 * tarballs, commits and tags. Everything happens in a separate worktree, so a failure leaves branch, tags and
 * files as they were; the last step moves the branch.
 */
export async function release(options: ReleaseOptions): Promise<void> {
  const { root, version, isDryRun, show } = options;
  const tag = `v${version}`;
  const start = refuseUnlessReady(options, tag);
  const failed = await options.check();
  if (failed.length > 0) throw new ReleaseRefused(`npm run check fails: ${failed.join(', ')}.`);

  const folder = mkdtempSync(join(tmpdir(), 'countersign-release-'));
  const [tree, packed] = [join(folder, 'tree'), join(folder, 'packed')];
  const target = join(root, 'release', version);
  let isTagged = false;
  try {
    git(root, 'worktree', 'add', '--quiet', '--detach', tree, start);
    const entries = writeVersion(tree, options);
    git(tree, 'commit', '--quiet', '--all', `--message=Release ${version}`, `--message=${entries}`);
    const tarballs = packAll(tree, packed);
    for (const name of tarballs) show(`packed  ${name}`);
    if (isDryRun) {
      show(`Nothing was changed: without --dry-run, ${version} would be committed and tagged ${tag}.`);
      return;
    }
    mkdirSync(target, { recursive: true });
    for (const name of tarballs) copyFileSync(join(packed, name), join(target, name));
    const commit = git(tree, 'rev-parse', 'HEAD');
    git(root, 'tag', '--annotate', tag, `--message=Countersign ${version}\n\n${entries}`, commit);
    isTagged = true;
    git(root, 'merge', '--quiet', '--ff-only', commit);
  } catch (error) {
    if (isTagged) git(root, 'tag', '--delete', tag);
    if (!isDryRun) rmSync(target, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    git(root, 'worktree', 'prune');
  }
  show(`Released ${version}: commit and tag ${tag}, tarballs in release/${version}.`);
  show(`Next: git push --follow-tags, then npm publish each tarball.`);
}

/** Returns the commit that the release starts from. */
function refuseUnlessReady({ root, version }: ReleaseOptions, tag: string): string {
  const mistake = versionMistake(version, readVersion(root));
  if (mistake !== undefined) throw new ReleaseRefused(mistake);
  const branch = git(root, 'branch', '--show-current');
  if (branch !== 'main')
    throw new ReleaseRefused(`Releases are made on the branch main, this is ${branch || 'no branch'}.`);
  const changed = git(root, 'status', '--porcelain').split('\n');
  if (changed[0] !== '')
    throw new ReleaseRefused(`The tree is not clean; commit or remove first:\n${changed.join('\n')}`);
  if (git(root, 'tag', '--list', tag) !== '') throw new ReleaseRefused(`The tag ${tag} exists already.`);
  if (unreleasedEntries(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')) === '')
    throw new ReleaseRefused('CHANGELOG.md has nothing under "## Unreleased": say what users will notice.');
  if (existsSync(join(root, 'release', version)))
    throw new ReleaseRefused(`release/${version} exists already; remove it first.`);
  return git(root, 'rev-parse', 'HEAD');
}

/** Writes the version everywhere it occurs, and returns the entries of the changelog. */
function writeVersion(tree: string, { root, version, date }: ReleaseOptions): string {
  const change = (path: string, by: (text: string) => string): void =>
    writeFileSync(join(tree, path), by(readFileSync(join(tree, path), 'utf8')));
  const manifests = globSync('packages/*/package.json', { cwd: tree });
  const names = manifests.map((path) => nameIn(join(tree, path)));
  for (const path of ['package.json', 'package-lock.json', ...manifests])
    change(path, (text) => withVersion(text, version, names));
  change('README.md', (text) =>
    text.replace(/^Version \d+\.\d+\.\d+\S*(?= includes:)/m, `Version ${version}`),
  );
  const entries = unreleasedEntries(readFileSync(join(tree, 'CHANGELOG.md'), 'utf8'));
  change('CHANGELOG.md', (text) => releasedChangelog(text, version, date));
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'junction');
  return entries;
}

/**
 * Builds the published packages of a tree, packs them into a new folder, and returns the names of the tarballs.
 *
 * @param options for `tools/build.ts`
 */
export function packAll(tree: string, packed: string, options: readonly string[] = []): readonly string[] {
  run(process.execPath, ['tools/build-portal.mjs'], tree);
  run(process.execPath, ['tools/build.ts', ...options], tree);
  mkdirSync(packed);
  const folders = publishedPackages.map((published) => join(tree, published.folder, 'dist'));
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed, ...folders], tree);
  return readdirSync(packed).map((path) => basename(path));
}

function readVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

function nameIn(manifest: string): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { name: string }).name;
}

function git(folder: string, ...args: readonly string[]): string {
  return run('git', args, folder);
}

function run(program: string, args: readonly string[], folder: string): string {
  const shell = process.platform === 'win32' && program === 'npm';
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    shell,
  });
  if (status === 0) return stdout.trim();
  throw new Error(`${[program, ...args].join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

import { spawnSync } from 'node:child_process';
import {
  cpSync,
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
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noticingSuites } from './noticing-suites.ts';
import { type Removal, removals } from './removals.ts';

/**
 * Takes out the checks of the profile, of sessions and of forwarding one at a time, in a copy of the
 * repository, and runs the tests: each removal must make a test fail. `npm run test:necessity`. Exit code 1
 * if a check can be removed without any test failing.
 */
const repository = fileURLToPath(new URL('../../', import.meta.url));

const wanted = process.argv[2];
const chosen = removals.filter(({ check }) => wanted === undefined || check.startsWith(wanted));
const copy = copyOfRepository();
let unnoticed = 0;
try {
  const failing = failingSuite(copy, [...new Set(chosen.flatMap(noticingSuites))]);
  if (failing !== undefined) {
    throw new Error(
      `The tests fail with every check in place (${failing.pattern}). Fix that first.\n${failing.output}`,
    );
  }
  for (const removal of chosen) {
    const restore = remove(copy, removal);
    const started = performance.now();
    const noticing = failingSuite(copy, noticingSuites(removal));
    const noticedBy = noticing?.pattern;
    restore();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (noticedBy === undefined) unnoticed++;
    console.log(
      `${noticedBy === undefined ? 'NOT NOTICED' : 'noticed    '}  ${removal.check.padEnd(58)} ${seconds} s  ${noticedBy ?? ''}`,
    );
  }
} finally {
  rmSync(join(copy, '..'), { recursive: true, force: true });
}
console.log(`${chosen.length - unnoticed} of ${chosen.length} removals made a test fail`);
process.exitCode = unnoticed === 0 ? 0 : 1;

/** Returns the first suite that fails, with the end of what it printed. */
function failingSuite(
  folder: string,
  patterns: readonly string[],
): { readonly pattern: string; readonly output: string } | undefined {
  for (const pattern of patterns) {
    const files = globSync(pattern, { cwd: folder });
    if (files.length === 0) throw new Error(`No test files match ${pattern}.`);
    const run = spawnSync(process.execPath, ['--test', '--test-isolation=none', ...files], {
      cwd: folder,
      // A hanging test has noticed, too. A busy machine must not look like one.
      timeout: 600_000,
      encoding: 'utf8',
    });
    if (run.status === 0) continue;
    const ending = run.status === null ? 'It took more than ten minutes.' : '';
    return { pattern, output: `${run.stdout.slice(-4000)}${run.stderr.slice(-1000)}${ending}` };
  }
  return undefined;
}

/** Applies the replacement to the copy, and returns a function that restores the original. */
function remove(folder: string, { check, file, text, replacement }: Removal): () => void {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(text).length !== 2)
    throw new Error(`${file} does not hold exactly once what is to be removed for "${check}".`);
  writeFileSync(
    path,
    source.replace(text, () => replacement),
  );
  return () => writeFileSync(path, source);
}

/** Copies the sources and links everything large. Packages of this repository must resolve into the copy. */
function copyOfRepository(): string {
  const parent = mkdtempSync(join(tmpdir(), 'countersign-necessity-'));
  const folder = join(parent, 'repository');
  mkdirSync(join(folder, 'node_modules', '@countersign'), { recursive: true });
  cpSync(join(repository, 'packages'), join(folder, 'packages'), { recursive: true });
  for (const name of ['vectors', 'package.json']) symlinkSync(join(repository, name), join(folder, name));
  const shared = resolve(repository, '..', 'shared');
  if (existsSync(shared)) symlinkSync(shared, join(parent, 'shared'));
  for (const name of readdirSync(join(repository, 'node_modules'))) {
    if (name === '@countersign' || name === 'countersign') continue;
    symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const name of readdirSync(join(repository, 'node_modules', '@countersign'))) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', '@countersign', name));
  }
  return folder;
}

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mistake, type Outcome, plantEach, readMistakesOf, type TestRun } from '../planted-mistakes.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const client = 'packages/client';

/**
 * Reads the mistakes, and makes sure that each can be planted. The parts of the signature library that the
 * client uses count too.
 */
export function readMistakes(): readonly Mistake[] {
  return readMistakesOf(join(repository, client), 'test/mistakes.json');
}

/**
 * Plants each mistake in a copy of the packages, and runs the client's own tests there.
 *
 * @returns the names of those that the tests did not notice
 */
export async function plantMistakes(
  tell: (name: string, outcome: Outcome) => void,
): Promise<readonly string[]> {
  const mistakes = readMistakes();
  const copy = copyOfPackages();
  try {
    const runTests = (): TestRun => runTestsIn(copy);
    return await plantEach(mistakes, { folder: join(copy, client), runTests }, tell);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Run in this order until one fails. Browser tests take longest, and are about other things. */
const suites = [
  'adapters',
  'clients',
  'repeats',
  'equal-requests',
  'agent',
  'profiles',
  'testing',
  'key-file',
  'threads',
];

/** Runs the client's tests. A mistake may also keep a test from ending. */
function runTestsIn(folder: string): TestRun {
  // Longer than the tests wait for their own processes, which would otherwise be left behind.
  const options = ['--test', '--test-isolation=none', '--test-timeout=90000', '--test-force-exit'];
  for (const suite of suites) {
    const file = `${client}/test/${suite}.test.ts`;
    const run = spawnSync(process.execPath, [...options, file], {
      cwd: folder,
      timeout: 300_000,
      encoding: 'utf8',
    });
    if (run.status !== 0) return { isSound: false, output: run.stdout.slice(-8000) };
  }
  return { isSound: true, output: '' };
}

/** Copies the packages and links everything else. Packages of this repository must resolve into the copy. */
function copyOfPackages(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mistakes-'));
  mkdirSync(join(folder, 'node_modules', '@countersign'), { recursive: true });
  for (const name of ['client', 'contract', 'signature'])
    cpSync(join(repository, 'packages', name), join(folder, 'packages', name), { recursive: true });
  for (const name of ['vectors', 'package.json']) symlinkSync(join(repository, name), join(folder, name));
  for (const name of readdirSync(join(repository, 'node_modules')))
    if (name !== '@countersign')
      symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', '@countersign', name));
  return folder;
}

import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mistake, type Outcome, plantEach, readMistakesOf, type TestRun } from '../planted-mistakes.ts';
import { cannotBeBuilt, root, runOwnTests, type SignerPackage } from './packages.ts';

/** Reads the mistakes of a package, and makes sure that each can be planted. */
export function readMistakes({ folder }: SignerPackage): readonly Mistake[] {
  return readMistakesOf(folder, 'mistakes.json');
}

/** A mistake may keep the tests from ending. Without one, they take a minute at most. */
const limitMs = 600_000;

/**
 * Plants each mistake in a copy of a package, and runs the package's own tests there, without its linters: a
 * mistake in untidy code would be noticed for the wrong reason.
 *
 * @returns the names of the ones that no test noticed
 */
export async function plantMistakes(
  one: SignerPackage,
  tell: (name: string, outcome: Outcome) => void,
): Promise<readonly string[]> {
  const mistakes = readMistakes(one);
  const copied = mkdtempSync(join(tmpdir(), 'countersign-mistakes-'));
  try {
    for (const each of ['vectors', 'docs', 'examples'])
      if (existsSync(join(root, each))) symlinkSync(join(root, each), join(copied, each));
    const folder = join(copied, 'signers', one.language);
    cpSync(one.folder, folder, { recursive: true, verbatimSymlinks: true });
    const runTests = async (): Promise<TestRun> => {
      const copy = { language: one.language, folder };
      const { code, output } = await runOwnTests(copy, { TESTS_ONLY: '1' }, limitMs);
      return { isSound: code === 0, cannotBeBuilt: code === cannotBeBuilt, output };
    };
    return await plantEach(mistakes, { folder, runTests }, tell);
  } finally {
    rmSync(copied, { recursive: true, force: true });
  }
}

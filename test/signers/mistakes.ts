import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mistake, plantEach, readMistakesOf, type TestRun } from '../planted-mistakes.ts';
import { root, runOwnTests, type SignerPackage } from './packages.ts';

/** Reads the mistakes of a package, and makes sure that each can be planted. */
export function readMistakes({ folder }: SignerPackage): readonly Mistake[] {
  return readMistakesOf(folder, 'mistakes.json');
}

/**
 * Plants each mistake in a copy of a package, and runs the package's own tests there.
 *
 * @returns the names of those that the tests did not notice
 */
export async function plantMistakes(
  one: SignerPackage,
  tell: (name: string, isNoticed: boolean) => void,
): Promise<readonly string[]> {
  const mistakes = readMistakes(one);
  const copied = mkdtempSync(join(tmpdir(), 'countersign-mistakes-'));
  try {
    for (const each of ['vectors', 'docs', 'examples'])
      if (existsSync(join(root, each))) symlinkSync(join(root, each), join(copied, each));
    const folder = join(copied, 'signers', one.language);
    cpSync(one.folder, folder, { recursive: true, verbatimSymlinks: true });
    const runTests = async (): Promise<TestRun> => {
      const { code, output } = await runOwnTests({ language: one.language, folder });
      return { isSound: code === 0, output };
    };
    return await plantEach(mistakes, { folder, runTests }, tell);
  } finally {
    rmSync(copied, { recursive: true, force: true });
  }
}

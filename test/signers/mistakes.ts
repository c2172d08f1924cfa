import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runOwnTests, type SignerPackage } from './packages.ts';

/** A mistake to plant: a text of a file that occurs once, and what takes its place. */
interface Mistake {
  readonly name: string;
  /** Relative to the package. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Reads the mistakes of a package, and makes sure that each can be planted. */
export function readMistakes({ language, folder }: SignerPackage): readonly Mistake[] {
  const mistakes = JSON.parse(readFileSync(join(folder, 'mistakes.json'), 'utf8')) as readonly Mistake[];
  for (const { name, file, find, replace } of mistakes) {
    const count = readFileSync(join(folder, file), 'utf8').split(find).length - 1;
    if (count !== 1)
      throw new Error(`${language}: "${name}" looks for a text that ${file} holds ${count} times.`);
    if (find === replace) throw new Error(`${language}: "${name}" changes nothing.`);
  }
  return mistakes;
}

/**
 * Plants each mistake in a copy of a package, and runs the package's own tests there.
 *
 * @param tell is told of each one as it is done
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
    const copy = { language: one.language, folder: join(copied, 'signers', one.language) };
    cpSync(one.folder, copy.folder, { recursive: true, verbatimSymlinks: true });
    const sound = await runOwnTests(copy);
    if (sound.code !== 0) throw new Error(`Without a mistake, the tests fail too:\n${sound.output}`);
    const missed: string[] = [];
    for (const { name, file, find, replace } of mistakes) {
      const text = readFileSync(join(copy.folder, file), 'utf8');
      writeFileSync(
        join(copy.folder, file),
        text.replace(find, () => replace),
      );
      const { code } = await runOwnTests(copy);
      writeFileSync(join(copy.folder, file), text);
      tell(name, code !== 0);
      if (code === 0) missed.push(name);
    }
    return missed;
  } finally {
    rmSync(copied, { recursive: true, force: true });
  }
}

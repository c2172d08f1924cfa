import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mistake to plant: a text that occurs once in a file, and its replacement. */
export interface Mistake {
  readonly name: string;
  /** Relative to the package. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Reads a package's mistakes, and makes sure that each can be planted. */
export function readMistakesOf(folder: string, list: string): readonly Mistake[] {
  const mistakes = JSON.parse(readFileSync(join(folder, list), 'utf8')) as readonly Mistake[];
  for (const { name, file, find, replace } of mistakes) {
    const count = readFileSync(join(folder, file), 'utf8').split(find).length - 1;
    if (count !== 1)
      throw new Error(`"${name}" looks for a text that ${join(folder, file)} holds ${count} times.`);
    if (find === replace) throw new Error(`"${name}" changes nothing.`);
  }
  return mistakes;
}

/** The outcome of a test run, and its output if it failed. */
export interface TestRun {
  readonly isSound: boolean;
  /** No test ran, because the package cannot be built. */
  readonly cannotBeBuilt?: boolean;
  readonly output: string;
}

/** The outcome of a mistake. One that cannot be built says nothing about the tests. */
export type Outcome = 'noticed' | 'NOT NOTICED' | 'CANNOT BE BUILT';

/**
 * Plants each mistake in a copy of a package, and runs the package's own tests there.
 *
 * @param tell called with the outcome of each one as it is done
 * @returns the names of the ones that no test noticed
 */
export async function plantEach(
  mistakes: readonly Mistake[],
  copy: { readonly folder: string; readonly runTests: () => Promise<TestRun> | TestRun },
  tell: (name: string, outcome: Outcome) => void,
): Promise<readonly string[]> {
  const sound = await copy.runTests();
  if (!sound.isSound) throw new Error(`Without a mistake, the tests fail too:\n${sound.output}`);
  const missed: string[] = [];
  for (const { name, file, find, replace } of mistakes) {
    const path = join(copy.folder, file);
    const text = readFileSync(path, 'utf8');
    const mistaken = text.replace(find, () => replace);
    writeFileSync(path, mistaken);
    const outcome = outcomeOf(await copy.runTests());
    writeFileSync(path, text);
    tell(name, outcome);
    if (outcome !== 'noticed') missed.push(name);
  }
  // Otherwise something else has made them fail meanwhile.
  if (!(await copy.runTests()).isSound) throw new Error('Without a mistake, the tests fail now.');
  return missed;
}

function outcomeOf({ isSound, cannotBeBuilt }: TestRun): Outcome {
  if (isSound) return 'NOT NOTICED';
  return cannotBeBuilt === true ? 'CANNOT BE BUILT' : 'noticed';
}

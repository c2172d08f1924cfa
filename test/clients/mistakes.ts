import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const client = 'packages/client';

/** A mistake to plant: a text of a file that occurs once, and what takes its place. */
export interface Mistake {
  readonly name: string;
  /** Relative to the package of the client. What it uses of the signature library is part of it. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Reads the mistakes, and makes sure that each can be planted. */
export function readMistakes(): readonly Mistake[] {
  const folder = join(repository, client);
  const mistakes = JSON.parse(readFileSync(join(folder, 'test/mistakes.json'), 'utf8')) as readonly Mistake[];
  for (const { name, file, find, replace } of mistakes) {
    const count = readFileSync(join(folder, file), 'utf8').split(find).length - 1;
    if (count !== 1) throw new Error(`"${name}" looks for a text that ${file} holds ${count} times.`);
    if (find === replace) throw new Error(`"${name}" changes nothing.`);
  }
  return mistakes;
}

/**
 * Plants each mistake in a copy of the packages, and runs the client's own tests there.
 *
 * @param tell is told of each one as it is done
 * @returns the names of those that the tests did not notice
 */
export function plantMistakes(tell: (name: string, isNoticed: boolean) => void): readonly string[] {
  const mistakes = readMistakes();
  const copy = copyOfPackages();
  try {
    const sound = runTests(copy);
    if (!sound.isSound) throw new Error(`Without a mistake, the tests fail too:\n${sound.output}`);
    const missed: string[] = [];
    for (const { name, file, find, replace } of mistakes) {
      const path = join(copy, client, file);
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replace(find, () => replace),
      );
      const { isSound } = runTests(copy);
      writeFileSync(path, text);
      tell(name, !isSound);
      if (isSound) missed.push(name);
    }
    // Otherwise something else has made them fail meanwhile.
    if (!runTests(copy).isSound) throw new Error('Without a mistake, the tests fail now.');
    return missed;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** In this order until one fails. Browsers take longer than all else, and are about other things. */
const suites = ['adapters', 'clients', 'testing', 'key-file', 'threads'];

/** Runs the client's tests. A mistake may also keep a test from ending. */
function runTests(folder: string): { readonly isSound: boolean; readonly output: string } {
  const options = ['--test', '--test-isolation=none', '--test-timeout=60000', '--test-force-exit'];
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

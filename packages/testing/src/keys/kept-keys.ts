import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { KeyPair } from './key-pair.ts';

/**
 * Only in the process of test files: its threads, and programs that it starts, may meet its keys in one
 * service, and must have others.
 */
const isTestProcess = isMainThread && process.execArgv.includes('--test');
const testFolder = process.env['TEST_FOLDER'];
const folder =
  isTestProcess && testFolder !== undefined ? join(testFolder, `key-pairs-${process.getuid?.()}`) : undefined;
const taken = new Map<number, number>();

/**
 * Returns a key pair that this process did not have before. In a test run, it may be one of an earlier test
 * file, which saves most of the time that RSA keys cost.
 *
 * @param bits the size of its modulus
 */
export function keptKeyPair(bits: number, make: () => KeyPair): KeyPair {
  if (folder === undefined) return make();
  const index = taken.get(bits) ?? 0;
  taken.set(bits, index + 1);
  const file = join(folder, `${bits}-${index}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KeyPair;
  } catch {
    const made = make();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Whole or not at all: another process may read it.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(made), { mode: 0o600 });
    renameSync(draft, file);
    return made;
  }
}

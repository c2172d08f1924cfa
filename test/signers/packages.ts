import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSnippets } from '../../packages/portal/documents/snippets.ts';
import type { AlgorithmName } from '@countersign/signature';
import { algorithmNames } from '@countersign/testing/key-pair';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A signer's package: a folder of `signers/`, or a copy of one. */
export interface SignerPackage {
  readonly language: string;
  readonly folder: string;
}

/** The programs that a package needs. If one is missing, its tests are skipped by name. */
const programs: Readonly<Record<string, readonly string[]>> = {
  csharp: ['mcs', 'mono'],
  go: ['go'],
  java: ['java', 'mvn'],
  php: ['php', 'phpunit'],
  python: ['python3'],
  ruby: ['ruby'],
  rust: ['cargo'],
  shell: ['curl', 'openssl'],
};

const otherAlgorithms = algorithmNames.filter((name) => name !== 'rsa-v1_5-sha256');

/** Returns the algorithms besides RSA that a package signs with, as the portal says. */
export function otherAlgorithmsOf({ language }: SignerPackage): readonly AlgorithmName[] {
  const shown = readSnippets().find(({ id }) => id === language);
  return shown?.withPackage.isRsaOnly ? [] : otherAlgorithms;
}

/** Returns all packages that can test themselves, by language. */
export function signerPackages(): readonly SignerPackage[] {
  const folder = join(root, 'signers');
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'test.sh')))
    .map(({ name }) => ({ language: name, folder: join(folder, name) }))
    .toSorted((a, b) => (a.language < b.language ? -1 : 1));
}

/** Names the program that a package lacks on this machine; false if none. */
export function missingProgram({ language }: SignerPackage): string | false {
  const folders = (process.env['PATH'] ?? '').split(':');
  const missing = (programs[language] ?? []).filter(
    (program) => !folders.some((folder) => existsSync(join(folder, program))),
  );
  return missing.length === 0 ? false : `${language} needs ${missing.join(' and ')}`;
}

/** The exit of a script, and its output. */
export interface ScriptEnd {
  readonly code: number | null;
  readonly output: string;
}

/** The exit code of a `test.sh` that could not build its package. */
export const cannotBeBuilt = 2;

/**
 * Runs a package's own tests.
 *
 * @param limitMs ends longer tests, with everything that they have started; the code is then null
 */
export async function runOwnTests(
  one: SignerPackage,
  environment: Readonly<Record<string, string>> = {},
  limitMs?: number,
): Promise<ScriptEnd> {
  return runScript(one, 'test.sh', [], environment, limitMs);
}

/** Runs a script of a package to its end. The limit is that of `runOwnTests`. */
export async function runScript(
  one: SignerPackage,
  script: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  limitMs?: number,
): Promise<ScriptEnd> {
  const child = startScript(one, script, environment, argv, limitMs !== undefined);
  child.stdin?.end();
  const { pid } = child;
  const limit = limitMs && pid && setTimeout(() => endGroup(pid), limitMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (limit) clearTimeout(limit);
  return { code, output };
}

function endGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

/** Starts a script of a package with pipes. */
export function startScript(
  { folder }: SignerPackage,
  script: string,
  environment: Readonly<Record<string, string>>,
  argv: readonly string[] = [],
  leadsGroup = false,
): ChildProcess {
  return spawn(join(folder, script), argv, {
    cwd: folder,
    // Mono would leave a file in the package when it crashes.
    env: { ...process.env, MONO_CRASH_NOFILE: '1', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: leadsGroup,
  });
}

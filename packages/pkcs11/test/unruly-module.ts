import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { softHsmModule } from './softhsm.ts';

export type Misbehavior = 'sessions' | 'final-try' | 'forbid' | 'hang' | 'unreadable' | 'unasked' | 'blind';

/** A module that passes calls on to SoftHSM2 and misbehaves on demand: `unruly-module.c`. */
export interface UnrulyModule {
  readonly path: string;
  /** Starts a misbehavior. */
  set(name: Misbehavior, value?: string): void;
  clear(name: Misbehavior): void;
  has(name: Misbehavior): boolean;
  /** How often a program logged in, or tried to. */
  loginCount(): number;
  remove(): void;
}

/** Why it cannot be compiled here, or false. */
export function missingCompiler(): string | false {
  return spawnSync('gcc', ['--version']).error !== undefined && 'gcc is not installed';
}

export function compileUnrulyModule(): UnrulyModule {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-unruly-'));
  const path = join(folder, 'unruly.so');
  const source = fileURLToPath(new URL('unruly-module.c', import.meta.url));
  const { status, stderr } = spawnSync('gcc', ['-shared', '-fPIC', '-O1', '-o', path, source, '-ldl'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  // The module reads them from the environment of this process.
  process.env['UNRULY_FOLDER'] = folder;
  process.env['UNRULY_MODULE'] = softHsmModule;
  return {
    path,
    set: (name, value = '') => writeFileSync(join(folder, name), value),
    clear: (name) => rmSync(join(folder, name), { force: true }),
    has: (name) => existsSync(join(folder, name)),
    loginCount: () => {
      const log = join(folder, 'logins');
      return existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0;
    },
    remove: () => {
      delete process.env['UNRULY_FOLDER'];
      delete process.env['UNRULY_MODULE'];
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

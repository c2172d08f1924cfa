import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Node {
  readonly version: string;
  readonly program: string;
}

/**
 * The Node that runs this, and the machine's own if it is a different, sufficient one. The packages promise Node 22; the newest
 * function that the library needs, `hash` of node:crypto, is older.
 */
export function nodesHere(): readonly Node[] {
  const own: Node = { version: process.version, program: process.execPath };
  const ofMachine = nodeOfMachine();
  return ofMachine && ofMachine.version !== own.version && hasHash(ofMachine.version)
    ? [own, ofMachine]
    : [own];
}

/** The first on the PATH that npm did not put there. */
function nodeOfMachine(): Node | undefined {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const program = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
  if (program === undefined) return undefined;
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? { version: stdout.trim(), program } : undefined;
}

function hasHash(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > 21 || (major === 21 && minor >= 7) || (major === 20 && minor >= 12);
}

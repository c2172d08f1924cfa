import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './reader-folder.ts';

/**
 * Creates a copy of the repository in which nothing is built, as after `git clone` and `npm ci --omit=dev`:
 * its node_modules contains the lockfile's production packages, and nothing else.
 */
export function freshClone(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-clone-'));
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
  for (const file of files) {
    if (file === '' || /^(?:vectors|test|bench)\//.test(file) || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  linkProduction(folder);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly link?: boolean; readonly resolved?: string }>
  >;
}

/** Links every production package to the installed one, and our own to those of the copy. */
function linkProduction(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile;
  for (const [path, { dev, link, resolved = '' }] of Object.entries(packages)) {
    const isTopmost = path.lastIndexOf('node_modules/') === 0;
    if (!isTopmost || dev === true || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(link === true ? join(folder, resolved) : join(root, path), join(folder, path), 'junction');
  }
  const programs = join('node_modules', '.bin');
  mkdirSync(join(folder, programs), { recursive: true });
  for (const name of readdirSync(join(root, programs))) {
    const target = readlinkSync(join(root, programs, name));
    if (existsSync(join(folder, programs, target))) symlinkSync(target, join(folder, programs, name));
  }
}

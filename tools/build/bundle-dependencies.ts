import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type LockedDependency, lockedDependencies, type Lockfile } from './locked-dependencies.ts';

/**
 * Copies the third-party packages that a package needs into its build, where npm packs them with it: an
 * installation gets the versions and the bytes of the repository's lockfile, without a registry.
 *
 * @param folder of the package in the repository
 * @param names its third-party dependencies
 * @returns the packages
 * @throws Error if the repository's installed packages differ from its lockfile
 */
export function bundleDependencies(
  root: string,
  folder: string,
  names: readonly string[],
  outFolder: string,
): readonly LockedDependency[] {
  const dependencies = lockedDependencies(readLockfile(join(root, 'package-lock.json')), folder, names);
  // npm records there what it has installed and verified by hash.
  const installed = readLockfile(join(root, 'node_modules', '.package-lock.json'));
  for (const { source, place, locked } of dependencies) {
    const { name, version } = JSON.parse(readFileSync(join(root, source, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
    };
    if (installed.packages[source]?.integrity !== locked.integrity || version !== locked.version)
      throw new Error(`The installed ${name} is not the one in package-lock.json: run npm ci.`);
    cpSync(join(root, source), join(outFolder, place), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules' && !path.endsWith('.map'),
    });
  }
  return dependencies;
}

/**
 * Removes a bundled package's code, and leaves its manifests, licenses and declarations. Notices of copyright in the code are
 * collected in a file. Packages inside it stay.
 */
export function removeCode(folder: string): void {
  const notices = new Set<string>();
  removeFiles(folder, notices);
  if (notices.size > 0) writeFileSync(join(folder, noticesFile), `${[...notices].join('\n\n')}\n`);
}

function removeFiles(folder: string, notices: Set<string>): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  // Builds are reproducible.
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') removeFiles(path, notices);
    } else if (!staysWithoutCode.test(entry.name)) {
      if (/\.[cm]?js$/.test(entry.name))
        for (const notice of noticesIn(readFileSync(path, 'utf8'))) notices.add(notice);
      rmSync(path);
    }
  }
}

const staysWithoutCode =
  /^package\.json$|^(?:authors|copying|copyright|licen[cs]e|notice|third.?party)|\.d\.[cm]?ts$/i;

/** npm packs every file whose name begins like this, whatever the package's own list of files says. */
const noticesFile = 'LICENSE.notices.txt';

/** Returns the comments of a program that say whose it is, or on which terms. */
function noticesIn(code: string): string[] {
  const comments = code.match(/\/\*[^]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm) ?? [];
  return comments.map((comment) => comment.trim()).filter((comment) => isNotice.test(comment));
}

const isNotice = /copyright|permission is hereby|redistribution and use|licensed under/i;

function readLockfile(file: string): Lockfile {
  return JSON.parse(readFileSync(file, 'utf8')) as Lockfile;
}

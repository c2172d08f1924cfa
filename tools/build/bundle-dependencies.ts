import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

/** Removes a bundled package's code, and leaves its manifests, licenses and declarations. Packages inside it stay. */
export function removeCode(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') removeCode(path);
    } else if (!staysWithoutCode.test(entry.name)) {
      rmSync(path);
    }
  }
}

const staysWithoutCode = /^package\.json$|^(?:copying|licen[cs]e|notice)|\.d\.[cm]?ts$/i;

function readLockfile(file: string): Lockfile {
  return JSON.parse(readFileSync(file, 'utf8')) as Lockfile;
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { LockedDependency, LockedPackage } from './locked-dependencies.ts';
import type { PublishedManifest } from './manifest.ts';

/**
 * Returns the bill of materials of a package in CycloneDX, with the hash of every third-party package, as npm
 * creates it from a lockfile. Omits everything that differs between builds: the serial number, the time, and
 * the version of npm.
 *
 * @param dependencies including indirect ones
 * @param own packages of the repository among its dependencies, as they are published
 */
export function billOfMaterials(
  manifest: PublishedManifest,
  dependencies: readonly LockedDependency[],
  own: readonly PublishedManifest[],
): object {
  const packages: Record<string, LockedPackage> = { '': manifest };
  for (const each of own) packages[`node_modules/${each.name}`] = each;
  for (const { place, locked } of dependencies) packages[place] = locked;
  const { name, version } = manifest;
  const temporary = mkdtempSync(join(tmpdir(), 'countersign-materials-'));
  // npm uses the folder's name as the program's.
  const folder = join(temporary, basename(name));
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ name, version, lockfileVersion: 3, packages }),
    );
    const { serialNumber: _number, metadata, ...bill } = askNpm(folder);
    return { ...bill, metadata: { component: metadata.component } };
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

interface Bill {
  readonly serialNumber: string;
  readonly metadata: { readonly component: object };
}

function askNpm(folder: string): Bill {
  const { status, stdout, stderr, error } = spawnSync(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'],
    // npm is a shell script on Windows.
    { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32', maxBuffer: 64 * 1024 ** 2 },
  );
  if (status !== 0) throw new Error(`npm makes no bill of materials: ${error?.message ?? stderr}`);
  return JSON.parse(stdout) as Bill;
}

import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';
import { billOfMaterials } from './bill-of-materials.ts';
import { bundleDependencies, removeCode } from './bundle-dependencies.ts';
import { emit } from './compiler.ts';
import { joinModules } from './join-modules.ts';
import { type LockedDependency, neededBy } from './locked-dependencies.ts';
import {
  manifestMistakes,
  type PublishedManifest,
  publishedManifest,
  type SourceManifest,
} from './manifest.ts';
import { writeForOlderCompilers } from './older-declarations.ts';
import { packageMistakes } from './package-mistakes.ts';
import type { CarriedPackage, JoinedParts, PublishedPackage } from './published-packages.ts';
import { rewriteImports } from './rewrite-imports.ts';

/**
 * Builds packages, as many at once as there are processors: none reads another one's output. If it rejects,
 * no compiler is still running.
 */
export async function buildPackages(
  root: string,
  packages: readonly PublishedPackage[],
  outFolderOf: (published: PublishedPackage) => string,
): Promise<void> {
  const waiting = packages.values();
  const work = async (): Promise<void> => {
    for (const published of waiting) await buildPackage(root, published, outFolderOf(published));
  };
  await allDone(Array.from({ length: availableParallelism() }, work));
}

/**
 * Builds one package of the repository at `root` into `outFolder`, complete, as published: package.json,
 * README.md, LICENSE, programs, and JavaScript below `dist/`, with declarations if it exports anything.
 * Rejects with every mistake at once and leaves no partial package behind.
 */
export async function buildPackage(
  root: string,
  published: PublishedPackage,
  outFolder: string,
): Promise<void> {
  const { folder, carried, renamed = {}, bundlesDependencies, joined } = published;
  const workspace = readWorkspace(root);
  const source = manifestToPublish(readManifest(root, folder), published);
  const carriedNames = new Set(carried.map(({ name }) => name));
  refuse(folder, manifestMistakes(source, { workspace, carriedNames }));
  const manifest = publishedManifest(source, { workspace }, bundlesDependencies);
  rmSync(outFolder, { recursive: true, force: true });
  try {
    await writeModules(root, published, join(outFolder, 'dist'), source.exports !== undefined);
    writeFileSync(join(outFolder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    refuse(folder, copyFiles(root, published, manifest, outFolder));
    refuse(folder, copyFolders(root, published, outFolder));
    const bundled = bundlesDependencies
      ? writeDependencies(root, folder, manifest, { workspace, outFolder })
      : [];
    if (joined) await writeJoined(published, joined, manifest, { workspace, bundled, outFolder });
    const optionalNames = new Set(
      Object.keys(source.optionalDependencies ?? {}).map((name) => renamed[name] ?? name),
    );
    refuse(folder, packageMistakes({ folder: outFolder, manifest, optionalNames }));
    setModes(outFolder, manifest);
  } catch (error) {
    rmSync(outFolder, { recursive: true, force: true });
    throw error;
  }
}

/** Gives a private package the name and the programs under which it is published. */
function manifestToPublish(source: SourceManifest, { as }: PublishedPackage): SourceManifest {
  if (as === undefined) return source;
  return { ...source, private: false, name: as.name, bin: as.bin, engines: { node: as.node } };
}

async function writeModules(
  root: string,
  { folder, carried, renamed = {}, infersTypes }: PublishedPackage,
  dist: string,
  declarations: boolean,
): Promise<void> {
  const sourceFolder = join(root, folder, 'src');
  const files = sourcesIn(sourceFolder);
  refuse(folder, files.length === 0 ? ['src has no TypeScript files.'] : []);
  await allDone([
    emit({ sourceFolder, files, outFolder: dist, declarations, infersTypes }),
    ...carried.map((each) =>
      emit({
        sourceFolder: join(root, each.sourceFolder),
        files: carriedFiles(root, each),
        outFolder: join(dist, each.outFolder),
        declarations,
        infersTypes,
      }),
    ),
  ]);
  writeForOlderCompilers(dist);
  rewriteImports(dist, (specifier, file) => builtSpecifier(specifier, file, { carried, renamed }));
}

function carriedFiles(root: string, { sourceFolder, entries, modules }: CarriedPackage): readonly string[] {
  const folder = join(root, sourceFolder);
  if (modules === 'all') return sourcesIn(folder);
  return [...Object.values(entries), ...(modules === 'entries' ? [] : sourcesIn(folder, modules))];
}

/**
 * Waits for all of them and rejects with the messages of those that failed. `Promise.all` would reject while other compilers
 * still write into a folder that is being removed.
 */
async function allDone(compilations: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(compilations);
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failures.length > 0)
    throw new Error(failures.map(({ reason }) => (reason as Error).message).join('\n'));
}

/** A bundled module is imported by its path, and the compiler leaves `.ts` in declarations unchanged. */
function builtSpecifier(
  specifier: string,
  file: string,
  { carried, renamed }: Required<Pick<PublishedPackage, 'carried' | 'renamed'>>,
): string {
  const source = carried.find(({ entries }) => Object.hasOwn(entries, specifier));
  if (source) {
    const path = posix
      .relative(posix.dirname(file), `${source.outFolder}/${source.entries[specifier]}`)
      .replace(/\.ts$/, '.js');
    return path.startsWith('.') ? path : `./${path}`;
  }
  if (specifier.startsWith('.')) return specifier.replace(/\.ts$/, '.js');
  const name = packageName(specifier);
  return (renamed[name] ?? name) + specifier.slice(name.length);
}

function sourcesIn(folder: string, patterns: readonly string[] = ['**/*.ts']): string[] {
  return globSync(patterns, { cwd: folder }).toSorted();
}

/** Copies README, LICENSE, programs and the files that those read, and returns the missing ones. */
function copyFiles(
  root: string,
  { folder, programFiles = [] }: PublishedPackage,
  { bin = {} }: PublishedManifest,
  outFolder: string,
): string[] {
  const copies = ['README.md', ...Object.values(bin), ...programFiles].map((file) => [
    posix.join(folder, file),
    file,
  ]);
  return [...copies, ['LICENSE', 'LICENSE']].flatMap(([from = '', to = '']) => {
    if (!existsSync(join(root, from))) return [`${from} is missing.`];
    mkdirSync(dirname(join(outFolder, to)), { recursive: true });
    copyFileSync(join(root, from), join(outFolder, to));
    return [];
  });
}

/** Copies the output of other builds, and returns the missing ones. */
function copyFolders(root: string, { folders = [] }: PublishedPackage, outFolder: string): string[] {
  return folders.flatMap(({ from, to, proof, leftOut }) => {
    const source = join(root, from);
    if (!existsSync(join(source, proof))) return [`${from}/${proof} is missing: build it first.`];
    const isWanted = (path: string): boolean => !leftOut.includes(relative(source, path));
    cpSync(source, join(outFolder, to), { recursive: true, filter: isWanted });
    return [];
  });
}

/** Writes the bundled third-party packages and the bill of materials. */
function writeDependencies(
  root: string,
  folder: string,
  manifest: PublishedManifest,
  { workspace, outFolder }: { workspace: ReadonlyMap<string, SourceManifest>; outFolder: string },
): readonly LockedDependency[] {
  const { bundleDependencies: names = [], dependencies = {} } = manifest;
  const bundled = bundleDependencies(root, folder, names, outFolder);
  const own = Object.keys(dependencies).flatMap((name) => workspace.get(name) ?? []);
  const bill = billOfMaterials(
    manifest,
    bundled,
    own.map((each) => publishedManifest(each, { workspace })),
  );
  writeFileSync(join(outFolder, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);
  return bundled;
}

/**
 * Joins the modules of a program and of its bundled packages. Of a package whose code is in the joined files, everything else stays:
 * its manifest, in which scanners find its version, its license, and the declarations.
 */
async function writeJoined(
  { carried }: PublishedPackage,
  { entries, separate }: JoinedParts,
  { exports, sideEffects, bin = {} }: PublishedManifest,
  {
    workspace,
    bundled,
    outFolder,
  }: {
    workspace: ReadonlyMap<string, SourceManifest>;
    bundled: readonly LockedDependency[];
    outFolder: string;
  },
): Promise<void> {
  const exported = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default.replace('./dist/', '')],
  );
  const names = [...workspace.keys(), ...separate];
  const pure = carried.filter(({ name }) => workspace.get(name)?.sideEffects === false);
  await joinModules({
    folder: outFolder,
    entries: [...entries, ...exported],
    separate: names,
    pure: [...pure.map((each) => each.outFolder), ...(sideEffects === false ? ['.'] : [])],
    isLibrary: Object.keys(bin).length === 0,
  });
  const kept = new Set(neededBy(separate, bundled));
  for (const each of bundled) if (!kept.has(each)) removeCode(join(outFolder, each.place));
}

/** Gives files the same modes whatever the umask of the building user: tarballs include them. */
function setModes(outFolder: string, { bin = {} }: PublishedManifest): void {
  const programs = new Set(Object.values(bin).map((file) => join(outFolder, file)));
  for (const entry of readdirSync(outFolder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, entry.isDirectory() || programs.has(path) ? 0o755 : 0o644);
  }
}

function readWorkspace(root: string): ReadonlyMap<string, SourceManifest> {
  const { workspaces } = readManifest(root, '') as unknown as { readonly workspaces: readonly string[] };
  return new Map(workspaces.map((folder) => readManifest(root, folder)).map((each) => [each.name, each]));
}

function readManifest(root: string, folder: string): SourceManifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as SourceManifest;
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function refuse(folder: string, mistakes: readonly string[]): void {
  if (mistakes.length > 0) throw new Error([`${folder} cannot be published:`, ...mistakes].join('\n  '));
}

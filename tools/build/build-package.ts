import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { emit } from './compiler.ts';
import {
  manifestMistakes,
  type PublishedManifest,
  publishedManifest,
  type SourceManifest,
} from './manifest.ts';
import { packageMistakes } from './package-mistakes.ts';
import type { CarriedModule, PublishedPackage } from './published-packages.ts';
import { rewriteImports } from './rewrite-imports.ts';

/**
 * Builds one package of the repository at `root` into `outFolder`, which becomes the whole package as it is published:
 * package.json, README.md, LICENSE, programs, and JavaScript below `dist/`, with declarations when it exports something.
 * Rejects with all that is wrong, and leaves no half of a package behind.
 */
export async function buildPackage(
  root: string,
  published: PublishedPackage,
  outFolder: string,
): Promise<void> {
  const { folder, carried } = published;
  const workspace = readWorkspace(root);
  const source = readManifest(root, folder);
  const carriedNames = new Set(carried.map(({ specifier }) => packageName(specifier)));
  refuse(folder, manifestMistakes(source, { workspace, carriedNames }));
  const manifest = publishedManifest(source, { workspace });
  rmSync(outFolder, { recursive: true, force: true });
  try {
    await writeModules(root, published, join(outFolder, 'dist'), source.exports !== undefined);
    writeFileSync(join(outFolder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    refuse(folder, copyFiles(root, folder, manifest, outFolder));
    const optionalNames = new Set(Object.keys(source.optionalDependencies ?? {}));
    refuse(folder, packageMistakes({ folder: outFolder, manifest, optionalNames }));
  } catch (error) {
    rmSync(outFolder, { recursive: true, force: true });
    throw error;
  }
}

async function writeModules(
  root: string,
  { folder, carried }: PublishedPackage,
  dist: string,
  declarations: boolean,
): Promise<void> {
  const sourceFolder = join(root, folder, 'src');
  const files = globSync('**/*.ts', { cwd: sourceFolder }).toSorted();
  refuse(folder, files.length === 0 ? ['src has no TypeScript files.'] : []);
  await Promise.all([
    emit({ sourceFolder, files, outFolder: dist, declarations }),
    ...carried.map(({ sourceFolder: from, file, outFolder }) =>
      emit({ sourceFolder: join(root, from), files: [file], outFolder: join(dist, outFolder), declarations }),
    ),
  ]);
  rewriteImports(dist, (specifier, file) => builtSpecifier(specifier, file, carried));
}

/** A module that goes along is named by its place, and the compiler leaves `.ts` in declarations as it is. */
function builtSpecifier(specifier: string, file: string, carried: readonly CarriedModule[]): string {
  const module = carried.find((each) => each.specifier === specifier);
  if (module) {
    const path = posix
      .relative(posix.dirname(file), `${module.outFolder}/${module.file}`)
      .replace(/\.ts$/, '.js');
    return path.startsWith('.') ? path : `./${path}`;
  }
  return specifier.startsWith('.') ? specifier.replace(/\.ts$/, '.js') : specifier;
}

/** Copies what goes along as it is, and says what is missing. */
function copyFiles(
  root: string,
  folder: string,
  { bin = {} }: PublishedManifest,
  outFolder: string,
): string[] {
  const copies = ['README.md', ...Object.values(bin)].map((file) => [posix.join(folder, file), file]);
  return [...copies, ['LICENSE', 'LICENSE']].flatMap(([from = '', to = '']) => {
    if (!existsSync(join(root, from))) return [`${from} is missing.`];
    mkdirSync(dirname(join(outFolder, to)), { recursive: true });
    copyFileSync(join(root, from), join(outFolder, to));
    return [];
  });
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

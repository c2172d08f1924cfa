import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Import, ImportKind } from './imports.ts';

/** One file of the repository importing another. */
export interface Edge {
  readonly to: string;
  readonly kind: ImportKind;
  readonly line: number;
}

/** The imports between the repository's own files, by the importing file. Paths are relative to the root, with `/`. */
export type ImportGraph = ReadonlyMap<string, readonly Edge[]>;

/**
 * Resolves imports that have been read. A package of the repository is imported by its name: its manifest
 * says which file an entry point is.
 */
export function graphOf(root: string, imports: ReadonlyMap<string, readonly Import[]>): ImportGraph {
  const entries = packageEntries(root);
  const inner = packageImports(root);
  return new Map(
    [...imports].map(([file, found]) => [
      file,
      found.flatMap(({ specifier = '', kind, line }): Edge[] => {
        if (specifier.startsWith('#'))
          return innerTargets(inner, file, specifier).map((to) => ({ to, kind, line }));
        const to = /^\.{1,2}\//.test(specifier)
          ? posix.join(posix.dirname(file), specifier)
          : entries.get(specifier);
        return to === undefined ? [] : [{ to, kind, line }];
      }),
    ]),
  );
}

/** Every specifier that the packages of the repository export, with the file behind it. */
export function packageEntries(root: string): ReadonlyMap<string, string> {
  const manifests = globSync('packages/*/package.json', { cwd: root }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return new Map(
    manifests.flatMap((path) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
        readonly name: string;
        readonly exports?: Readonly<Record<string, string>>;
      };
      return Object.entries(exports).map(([entry, file]): [string, string] => [
        posix.join(name, entry),
        posix.join(posix.dirname(path), file),
      ]);
    }),
  );
}

/** What a package says about its own names (`imports`), such as `#messages/*`: the files for every condition. */
interface PackageImport {
  readonly folder: string;
  /** Up to the `*`. */
  readonly prefix: string;
  readonly targets: readonly string[];
}

function packageImports(root: string): readonly PackageImport[] {
  return globSync('packages/*/package.json', { cwd: root }).flatMap((path) => {
    const folder = posix.dirname(path.replaceAll('\\', '/'));
    const { imports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
      readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    };
    return Object.entries(imports).map(([name, byCondition]) => ({
      folder,
      prefix: name.replace(/\*$/, ''),
      targets: Object.values(byCondition).map((target) => posix.join(folder, target.replace(/\*$/, ''))),
    }));
  });
}

function innerTargets(inner: readonly PackageImport[], file: string, specifier: string): readonly string[] {
  return inner
    .filter(({ folder, prefix }) => file.startsWith(`${folder}/`) && specifier.startsWith(prefix))
    .flatMap(({ prefix, targets }) => targets.map((target) => `${target}/${specifier.slice(prefix.length)}`));
}

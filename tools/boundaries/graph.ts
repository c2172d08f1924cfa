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
  return new Map(
    [...imports].map(([file, found]) => [
      file,
      found.flatMap(({ specifier = '', kind, line }): Edge[] => {
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

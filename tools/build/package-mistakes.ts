import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import type { Import } from '../boundaries/imports.ts';
import type { PublishedManifest } from './manifest.ts';
import { readBuiltImports } from './rewrite-imports.ts';

export interface BuiltPackage {
  readonly folder: string;
  readonly manifest: PublishedManifest;
  /** Packages that may be missing; they must be imported dynamically. */
  readonly optionalNames: ReadonlySet<string>;
}

/** Lists files and imports that would not resolve once the package is installed, one sentence each. */
export function packageMistakes({ folder, manifest, optionalNames }: BuiltPackage): string[] {
  const mistakes = targets(manifest)
    .filter((target) => !existsSync(join(folder, target)))
    .map((target) => `package.json names ${target}, which is not in the package.`);
  const dist = join(folder, 'dist');
  for (const [file, imports] of readBuiltImports(dist)) {
    for (const each of imports) {
      const why = whyUnusable(each, file);
      if (why !== undefined)
        mistakes.push(`dist/${file}:${each.line} imports ${each.specifier ?? 'a module'}: ${why}.`);
    }
  }
  return mistakes;

  function whyUnusable({ specifier, kind }: Import, file: string): string | undefined {
    if (specifier === undefined) return 'its name is computed, so nobody knows whether it is there';
    if (isBuiltin(specifier)) return undefined;
    if (specifier.startsWith('.')) {
      if (!specifier.endsWith('.js')) return 'a built file ends in .js';
      const target = posix.join(posix.dirname(file), specifier);
      const sought = file.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target;
      return existsSync(join(dist, sought)) && !sought.startsWith('../')
        ? undefined
        : 'it is not in the package';
    }
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    if (Object.hasOwn(manifest.dependencies ?? {}, name)) return undefined;
    if (!optionalNames.has(name)) return 'package.json has no such dependency';
    return kind === 'dynamic' ? undefined : 'what may be missing can only be imported on demand';
  }
}

function targets({ bin = {}, exports }: PublishedManifest): string[] {
  const exported = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : [entry.types, entry.default],
  );
  return [...Object.values(bin), ...exported];
}

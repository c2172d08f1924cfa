import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readImports } from '../boundaries/imports.ts';

/** Returns the specifier to import instead. The file's path is relative to the folder, with `/`. */
export type Renaming = (specifier: string, file: string) => string;

/** Reads the imports of all built files below `folder`. */
export function readBuiltImports(folder: string): ReturnType<typeof readImports> {
  return readImports(folder, ['**/*.js'], ['**/*.d.ts']);
}

/** Rewrites the imports of the built files below `folder`, but no comment or string that looks like one. */
export function rewriteImports(folder: string, rename: Renaming): void {
  for (const [file, imports] of readBuiltImports(folder)) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const lines = text.split('\n');
    for (const { specifier, line } of imports) {
      if (specifier === undefined) continue;
      const name = rename(specifier, file);
      if (name !== specifier) replaceFrom(lines, line - 1, specifier, name);
    }
    const rewritten = lines.join('\n');
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
}

/** Replaces the first occurrence in quotes: an import may start some lines above its specifier. */
function replaceFrom(lines: string[], start: number, specifier: string, name: string): void {
  for (const quote of ["'", '"']) {
    const quoted = `${quote}${specifier}${quote}`;
    const index = lines.findIndex((line, position) => position >= start && line.includes(quoted));
    if (index < 0) continue;
    lines[index] = lines[index]!.replace(quoted, () => `${quote}${name}${quote}`);
    return;
  }
}

import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { packageEntries } from '../boundaries/graph.ts';

/** Finds the imports in the text of a module; types are erased before they could load anything. */
const importing = /(?:^|[\s;])(?:import|export)(?!\s+type\b)[^'"`;]*?\(?\s*['"]([^'"]+)['"]/g;

/**
 * Returns a function that lists the files of the repository that a test file loads, including itself: through relative
 * imports, and through what packages export. It reads the text, because the compiler would add seconds to every run
 * before its first test.
 *
 * @param isEnd returns true for a file whose own imports are ignored
 */
export function loadedBy(root: string, isEnd: (file: string) => boolean): (suite: string) => Set<string> {
  const known = new Map<string, readonly string[]>();
  const entries = packageEntries(root);
  const importsOf = (file: string): readonly string[] => {
    const found = known.get(file) ?? readImports(root, file, entries);
    known.set(file, found);
    return found;
  };
  return (suite) => {
    const loaded = new Set([suite]);
    for (const file of loaded) {
      if (isEnd(file)) continue;
      for (const imported of importsOf(file)) loaded.add(imported);
    }
    return loaded;
  };
}

function readImports(root: string, file: string, entries: ReadonlyMap<string, string>): string[] {
  let text: string;
  try {
    text = readFileSync(join(root, file), 'utf8');
  } catch {
    // A generated module, or one that a test expects to be missing.
    return [];
  }
  return [...text.matchAll(importing)].flatMap(([, specifier = '']) => {
    if (/^\.{1,2}\//.test(specifier)) return [posix.join(posix.dirname(file), specifier)];
    return entries.get(specifier) ?? [];
  });
}

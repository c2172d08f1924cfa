import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** The module to load in place of each module of the repository, both as paths from its root. */
export type Replacements = Readonly<Record<string, string>>;

/**
 * Replaces modules of the product, so that it needs no options for benchmarks. Affects modules that are
 * loaded afterwards, except those of the benchmarks, which may use the originals.
 *
 * @returns a function that throws if one of them was not loaded: otherwise the product would be measured as it is
 * @throws Error if there is no such module
 */
export function replaceModules(replacements: Replacements): () => void {
  for (const path of Object.entries(replacements).flat())
    if (!existsSync(new URL(path, root))) throw new Error(`There is no module ${path} to replace.`);
  const byUrl = new Map(
    Object.entries(replacements).map(([original, replacement]) => [urlOf(original), urlOf(replacement)]),
  );
  const replaced = new Set<string>();
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const url = byUrl.get(resolved.url);
      if (url === undefined || context.parentURL?.startsWith(benchmarks)) return resolved;
      replaced.add(url);
      return { ...resolved, url };
    },
  });
  return () => {
    for (const url of byUrl.values()) if (!replaced.has(url)) throw new Error(`Nothing has loaded ${url}.`);
  };
}

const root = new URL('../../', import.meta.url);
const benchmarks = urlOf('bench/');

function urlOf(path: string): string {
  return new URL(path, root).href;
}

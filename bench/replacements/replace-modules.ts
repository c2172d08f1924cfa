import { registerHooks } from 'node:module';

/** The module to load in place of each module of the repository, both as paths from its root. */
export type Replacements = Readonly<Record<string, string>>;

/**
 * Replaces modules of the product, so that it needs no options for benchmarks. Affects modules that are
 * loaded afterwards, except those of the benchmarks, which may use the originals.
 */
export function replaceModules(replacements: Replacements): void {
  const byUrl = new Map(
    Object.entries(replacements).map(([original, replacement]) => [urlOf(original), urlOf(replacement)]),
  );
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const url = byUrl.get(resolved.url);
      return url === undefined || context.parentURL?.startsWith(benchmarks) ? resolved : { ...resolved, url };
    },
  });
}

const root = new URL('../../', import.meta.url);
const benchmarks = urlOf('bench/');

function urlOf(path: string): string {
  return new URL(path, root).href;
}

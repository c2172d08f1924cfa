import { globSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join, posix } from 'node:path';
import { build, type Plugin } from 'vite';

export interface JoinedModules {
  /** The package as it will be published, with its third-party packages below `node_modules/`. */
  readonly folder: string;
  /** Modules that something outside imports, relative to `dist/`. The programs of threads are found by themselves. */
  readonly entries: readonly string[];
  /** Packages that stay in files of their own. */
  readonly separate: readonly string[];
  /** Folders below `dist/` whose modules do nothing when they are loaded: one that nothing uses is left out. */
  readonly pure: readonly string[];
  /** True if users import it, and may bundle it. */
  readonly isLibrary: boolean;
}

/**
 * Joins the modules of a built package into a few files: the entries at their paths, everything else in `dist/chunks/`, a part that
 * is imported dynamically in chunks of its own. Node opens, resolves and compiles each module by itself, which takes longer than
 * running it. Declarations stay where they are.
 *
 * @throws Error if it would include a module that is not in the package, or an import is not found
 */
export async function joinModules({
  folder,
  entries,
  separate,
  pure,
  isLibrary,
}: JoinedModules): Promise<void> {
  // The bundler resolves links, and names modules with `/`.
  const root = withSlashes(realpathSync(folder));
  const dist = `${root}/dist`;
  const modules = globSync('**/*.js', { cwd: dist }).map(withSlashes);
  const input = [...entries, ...modules.flatMap((file) => threadPrograms(dist, file))];
  const isSeparate = (specifier: string): boolean =>
    separate.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  const bundle = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    publicDir: false,
    plugins: [staysInside(root), moduleUrls(dist)],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      write: true,
      outDir: dist,
      emptyOutDir: false,
      minify: false,
      target: 'es2024',
      rolldownOptions: {
        // Names of modules are relative to it, and so are the names of chunks: a build in another folder has the same bytes.
        cwd: root,
        input: Object.fromEntries(input.map((file) => [file.replace(/\.js$/, ''), join(dist, file)])),
        external: isSeparate,
        // Otherwise a module that re-exports others, as our index modules do, would load them all in every thread.
        treeshake: {
          moduleSideEffects: pure.map((name) => ({
            test: new RegExp(`^${RegExp.escape(`${posix.join(dist, name)}/`)}`),
            sideEffects: false,
          })),
        },
        onLog: (_level, { message }) => {
          throw new Error(message);
        },
        output: {
          format: 'esm',
          // Names of a program's classes are in its logs. A user's bundler would keep all whose name is set.
          keepNames: !isLibrary,
          // A user's bundler reads annotations.
          comments: { legal: true, annotation: isLibrary, jsdoc: false },
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          hashCharacters: 'base36',
        },
      },
    },
  });
  if (!('output' in bundle)) throw new Error('The bundler wrote nothing.');
  const written = new Set(bundle.output.map(({ fileName }) => fileName));
  for (const file of modules) if (!written.has(file)) rmSync(join(dist, file));
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Finds the programs of threads that a module starts. */
function threadPrograms(dist: string, file: string): string[] {
  const text = readFileSync(join(dist, file), 'utf8');
  const urls = text.matchAll(/new URL\('(\.[^']+\.js)', import\.meta\.url\)/g);
  return Array.from(urls, ([, path = '']) => posix.join(posix.dirname(file), path));
}

/** Fails on a module outside the package: of those inside, npm has verified the bytes when it installed them. */
function staysInside(root: string): Plugin {
  return {
    name: 'stays-inside',
    load(id) {
      if (id.startsWith('\0') || id.startsWith(`${root}/`)) return null;
      throw new Error(`${id} is not in the package.`);
    },
  };
}

/** Written in place of the path from a chunk to `dist/`, which is known once the chunks are. */
const toDist = '@countersign-dist@';

/** Gives each of our modules the URL that it had in a file of its own, from which it finds files and the programs of threads. */
function moduleUrls(dist: string): Plugin {
  return {
    name: 'module-urls',
    enforce: 'pre',
    transform(code, id) {
      if (!id.startsWith(`${dist}/`)) return null;
      const path = `${toDist}${id.slice(dist.length)}`;
      return code.replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`);
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(toDist, posix.relative(posix.dirname(fileName), '.') || '.');
    },
  };
}

import { type ExecFileException, execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Emission {
  readonly sourceFolder: string;
  /** Relative to the source folder. */
  readonly files: readonly string[];
  readonly outFolder: string;
  /** True to write `.d.ts` files too. */
  readonly declarations: boolean;
  /** True if declarations may contain inferred types, so that imports must be followed. */
  readonly infersTypes?: boolean | undefined;
}

/**
 * Strips types, and rewrites `.ts` to `.js` in relative imports. Types are not checked, and imports are followed only where
 * types are inferred. Rejects with the compiler's output.
 */
export async function emit(emission: Emission): Promise<void> {
  const { sourceFolder, files, outFolder, declarations, infersTypes = false } = emission;
  const paths = files.map((file) => join(sourceFolder, file));
  const kinds = declarations ? (infersTypes ? inferring : writtenDown) : ['--noResolve'];
  await compile([...alone, ...syntax, ...kinds, '--rootDir', sourceFolder, '--outDir', outFolder, ...paths]);
}

/** Checks the types of everything published against the oldest supported Node. Rejects with the compiler's output. */
export async function checkPublishedTypes(): Promise<void> {
  await compile(['--checkers', '1', '-p', fileURLToPath(new URL('types.json', import.meta.url))]);
}

const alone = ['--ignoreConfig', '--noCheck'];
const writtenDown = ['--noResolve', '--declaration', '--isolatedDeclarations'];
/**
 * Types of the API follow from its schemas, so the compiler must see those. It emits nothing for files in
 * `node_modules`.
 */
const inferring =
  '--declaration --moduleResolution bundler --preserveSymlinks --skipLibCheck --types node'.split(' ');
/** Node 22 and browsers of its time. The compiler rewrites newer syntax; types.json finds newer functions. */
const syntax =
  '--target es2024 --module esnext --verbatimModuleSyntax --rewriteRelativeImportExtensions'.split(' ');

const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));

function compile(options: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = (error: ExecFileException | null, output: string): void => {
      if (error) reject(new Error(output.trimEnd() || error.message));
      else resolve();
    };
    execFile(process.execPath, [compiler, '--pretty', 'false', ...options], ended);
  });
}

import { type ExecFileException, execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Emission {
  readonly sourceFolder: string;
  /** Relative to the source folder. */
  readonly files: readonly string[];
  readonly outFolder: string;
  /** Whether `.d.ts` files are written too. */
  readonly declarations: boolean;
}

/**
 * Strips types, and rewrites `.ts` to `.js` in relative imports. Types are not checked, and imports are followed only for
 * declarations. Rejects with the compiler's output.
 */
export async function emit({ sourceFolder, files, outFolder, declarations }: Emission): Promise<void> {
  const paths = files.map((file) => join(sourceFolder, file));
  const kinds = declarations ? inferring : ['--noResolve'];
  await compile([...alone, ...syntax, ...kinds, '--rootDir', sourceFolder, '--outDir', outFolder, ...paths]);
}

/**
 * Writes declarations whose types the compiler has to infer, such as those of schemas. Unlike `emit` it follows imports, so all
 * packages that import each other are compiled together. Rejects with the compiler's output.
 */
export async function emitInferredDeclarations(
  root: string,
  emissions: readonly Pick<Emission, 'sourceFolder' | 'outFolder'>[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-types-'));
  try {
    const project = join(folder, 'tsconfig.json');
    const packages = join(root, 'packages');
    const compilerOptions = {
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      rewriteRelativeImportExtensions: true,
      rootDir: packages,
      outDir: join(folder, 'out'),
      typeRoots: [join(root, 'node_modules/@types')],
    };
    const include = emissions.map(({ sourceFolder }) => sourceFolder);
    const extended = join(root, 'tsconfig.json');
    writeFileSync(project, JSON.stringify({ extends: extended, compilerOptions, include }));
    await compile(['-p', project]);
    for (const { sourceFolder, outFolder } of emissions)
      cpSync(join(folder, 'out', relative(packages, sourceFolder)), outFolder, { recursive: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the types of everything published against the oldest supported Node. Rejects with the compiler's output. */
export async function checkPublishedTypes(): Promise<void> {
  await compile(['--checkers', '1', '-p', fileURLToPath(new URL('types.json', import.meta.url))]);
}

const alone = ['--ignoreConfig', '--noCheck'];
/** Types of the API follow from its schemas, so the compiler must see those. It emits nothing that lies in `node_modules`. */
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

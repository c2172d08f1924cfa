import { type ExecFileException, execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What becomes JavaScript, and where. */
export interface Emission {
  readonly sourceFolder: string;
  /** Relative to the source folder. */
  readonly files: readonly string[];
  readonly outFolder: string;
  /** Whether `.d.ts` files are written too. */
  readonly declarations: boolean;
}

/**
 * Strips the types of TypeScript files, and rewrites `.ts` to `.js` in what they import by a relative path. Each file is
 * taken for itself: nothing that is imported comes along, and types are not checked. Rejects with the compiler's text.
 */
export async function emit({ sourceFolder, files, outFolder, declarations }: Emission): Promise<void> {
  const paths = files.map((file) => join(sourceFolder, file));
  const kinds = declarations ? ['--declaration', '--isolatedDeclarations'] : [];
  await compile([...alone, ...syntax, ...kinds, '--rootDir', sourceFolder, '--outDir', outFolder, ...paths]);
}

/**
 * Checks the types of everything that is published, against what the oldest supported Node knows. Rejects with the
 * compiler's text.
 */
export async function checkPublishedTypes(): Promise<void> {
  await compile(['--checkers', '1', '-p', fileURLToPath(new URL('types.json', import.meta.url))]);
}

const alone = ['--ignoreConfig', '--noResolve', '--noCheck'];
/** What Node 22 and the browsers of its time understand. Newer syntax is rewritten; newer functions are found by types.json. */
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

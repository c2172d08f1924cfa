import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MarkdownDocument, readMarkdown } from '../../tools/documents/markdown.ts';
import { readerEnvironment, root } from './reader-folder.ts';

/** A block of code marked `test` in a document. */
export interface CodeBlock {
  readonly path: string;
  /** Of its first line. */
  readonly line: number;
  readonly language: 'sh' | 'js';
  readonly text: string;
}

export interface BlockRun {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

export function readDocument(path: string): { readonly text: string; readonly markdown: MarkdownDocument } {
  const text = readFileSync(join(root, path), 'utf8');
  return { text, markdown: readMarkdown(text) };
}

/** Returns the blocks marked ` ```sh test ` or ` ```js test `, in their order. */
export function testBlocks(path: string): CodeBlock[] {
  const { markdown } = readDocument(path);
  return markdown.fences
    .filter(({ words }) => words.includes('test'))
    .map(({ words, text, line }) => {
      const language = words[0];
      if (language !== 'sh' && language !== 'js')
        throw new Error(`${path}:${line} cannot be run: ${language}`);
      return { path, line, language, text };
    });
}

/**
 * What a reader's typing gives the service after a change of the registry: the second within which it follows. No request that it
 * decides after that can be by an older state.
 */
const asTyped = `asTyped() {
  "$@" || return
  case "$*" in *'clients add '*|*'keys add '*|*'keys revoke '*) sleep 1 ;; esac
}
npx() { asTyped command npx "$@"; }
countersign() { asTyped command countersign "$@"; }
`;

/**
 * Runs a block unchanged in a reader's folder, at the speed of someone who types. The first failing command ends a shell block.
 */
export async function runBlock(
  { language, text }: CodeBlock,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<BlockRun> {
  const [program, args] = {
    sh: ['sh', ['-e']] as const,
    js: [process.execPath, ['--input-type=module', '-']] as const,
  }[language];
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...readerEnvironment(), ...environment },
    // Ends a hanging process. On a busy machine each of a block's programs may take ten seconds to start.
    timeout: 180_000,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  child.stdin.end(language === 'sh' ? asTyped + text : text);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, output, errors };
}

/** Returns why a block cannot run here, or false if it can. */
export function missingPrograms(block: CodeBlock): string | false {
  const used = ['openssl', 'curl'].filter((program) => new RegExp(`\\b${program}\\b`).test(block.text));
  const missing = used.filter((program) => spawnSync(program, ['version', '--version']).error !== undefined);
  return missing.length > 0 && `${missing.join(' and ')} is not installed`;
}

import { spawnSync } from 'node:child_process';
import type { MarkdownDocument } from './markdown.ts';

/** Shell commands in a document that tests run. */
export interface ExecutableBlock {
  readonly path: string;
  /** Of the first command. */
  readonly line: number;
  readonly commands: string;
}

/** Returns the blocks marked `sh test`, in their order. */
export function executableBlocks(path: string, { fences }: MarkdownDocument): ExecutableBlock[] {
  return fences
    .filter(({ words }) => words[0] === 'sh' && words.includes('test'))
    .map(({ line, text }) => ({ path, line, commands: text }));
}

/** Makes the shell parse each block without running it. */
export function checkExecutableBlocks(blocks: readonly ExecutableBlock[]): string[] {
  return blocks.flatMap(({ path, line, commands }) => {
    if (commands.trim() === '') return [`${path}:${line} is a block for tests without commands.`];
    const shell = spawnSync('sh', ['-n'], { input: commands, encoding: 'utf8' });
    return shell.status === 0 ? [] : [`${path}:${line} is no valid shell: ${shell.stderr.trim()}`];
  });
}

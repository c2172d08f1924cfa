import { spawnSync } from 'node:child_process';
import type { MarkdownDocument } from './markdown.ts';

/** A block of shell commands that tests run as it stands in a document. */
export interface ExecutableBlock {
  readonly path: string;
  /** The line of the block's first command. */
  readonly line: number;
  readonly commands: string;
}

/** The blocks that a document marks as `sh test`, in their order. */
export function executableBlocks(path: string, { fences }: MarkdownDocument): ExecutableBlock[] {
  return fences
    .filter(({ words }) => words[0] === 'sh' && words.includes('test'))
    .map(({ line, text }) => ({ path, line, commands: text }));
}

/** Lets the shell read each block without running it. */
export function checkExecutableBlocks(blocks: readonly ExecutableBlock[]): string[] {
  return blocks.flatMap(({ path, line, commands }) => {
    if (commands.trim() === '') return [`${path}:${line} is a block for tests without commands.`];
    const shell = spawnSync('sh', ['-n'], { input: commands, encoding: 'utf8' });
    return shell.status === 0 ? [] : [`${path}:${line} is no valid shell: ${shell.stderr.trim()}`];
  });
}

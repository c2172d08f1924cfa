import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The exit of a program's run, and its output. */
export interface Run {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the program until it ends by itself. Only the given variables of its environment begin with COUNTERSIGN_. */
export async function runProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  folder: string = process.cwd(),
): Promise<Run> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_'));
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), ...environment },
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, output, errors };
}

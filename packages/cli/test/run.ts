import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { main } from '../src/main.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly outBytes: Buffer;
  readonly errors: string;
}

export interface RunOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Whether both outputs are a terminal. */
  readonly terminal?: boolean;
  readonly nowMs?: () => number;
  /** Default: no wait at all. */
  readonly pause?: (milliseconds: number) => Promise<void>;
  /** Ends commands that run until they are stopped. */
  readonly stop?: Promise<void>;
  /** Receives the command's standard error as it is written. */
  readonly onErrors?: (text: string) => void;
}

/** Runs a command in this process. Its state folder is inside its working folder, so nothing is left behind. */
export async function run(argv: readonly string[], options: RunOptions): Promise<Ended> {
  const {
    folder,
    environment = {},
    input = '',
    terminal = false,
    nowMs = Date.now,
    pause = async () => undefined,
    stop = Promise.resolve(),
    onErrors,
  } = options;
  const output = collector(terminal);
  const errors = collector(terminal, onErrors);
  const code = await main(argv, {
    input: chunksOf(input),
    output,
    errors,
    environment: { XDG_STATE_HOME: `${folder}/state`, ...environment },
    folder,
    nowMs,
    pause,
    untilStopped: () => stop,
  });
  const outBytes = output.bytes();
  return { code, out: outBytes.toString('utf8'), outBytes, errors: errors.bytes().toString('utf8') };
}

export const program: string = fileURLToPath(new URL('../bin/countersign.js', import.meta.url));

/** The parts of this process that the child process reuses: compiling all modules again takes most of a short run. */
export const programEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};

/** Runs the program in its own process. */
export async function runProgram(argv: readonly string[], options: RunOptions): Promise<Ended> {
  const { folder, environment = {}, input = '' } = options;
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: folder,
    env: { ...programEnvironment, XDG_STATE_HOME: `${folder}/state`, ...environment },
  });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => undefined).end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  const outBytes = Buffer.concat(out);
  return {
    code: code ?? -1,
    out: outBytes.toString('utf8'),
    outBytes,
    errors: Buffer.concat(errors).toString('utf8'),
  };
}

function collector(
  isTTY: boolean,
  onText: (text: string) => void = () => undefined,
): {
  isTTY: boolean;
  write(chunk: string | Uint8Array): void;
  bytes(): Buffer;
} {
  const chunks: Buffer[] = [];
  return {
    isTTY,
    write(chunk) {
      chunks.push(Buffer.from(chunk as string));
      onText(String(chunk));
    },
    bytes: () => Buffer.concat(chunks),
  };
}

async function* chunksOf(input: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(input as string);
  // In two pieces, as a pipe may deliver it.
  yield bytes.subarray(0, 1);
  await Promise.resolve();
  yield bytes.subarray(1);
}

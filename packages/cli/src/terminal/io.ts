import { setTimeout as sleep } from 'node:timers/promises';

export interface Output {
  write(chunk: string | Uint8Array): unknown;
  readonly isTTY?: boolean | undefined;
}

/** Everything that commands use of the process. Tests provide their own. */
export interface Io {
  readonly input: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean | undefined };
  /** For results. */
  readonly output: Output;
  /** For notes and errors. */
  readonly errors: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The base folder of relative paths. */
  readonly folder: string;
  /** The wall clock. */
  readonly nowMs: () => number;
  /** Waits for a time. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Waits for a signal to end the program: SIGINT or SIGTERM. */
  readonly untilStopped: () => Promise<void>;
}

export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe);
  return {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    environment: process.env,
    folder: process.cwd(),
    nowMs: Date.now,
    pause: (milliseconds) => sleep(milliseconds),
    untilStopped,
  };
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** The reader has disconnected, as with `| head`. The command ends normally, with its own exit code. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

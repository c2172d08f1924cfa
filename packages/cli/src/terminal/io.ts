/** Where a command writes. */
export interface Output {
  write(chunk: string | Uint8Array): unknown;
  /** True for a terminal, where somebody reads. */
  readonly isTTY?: boolean | undefined;
}

/** Everything of the process that commands use, so that tests can bring their own. */
export interface Io {
  readonly input: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean | undefined };
  /** For results. */
  readonly output: Output;
  /** For notes and errors. */
  readonly errors: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** The wall clock in milliseconds. */
  readonly nowMs: () => number;
}

/** The process itself. */
export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe);
  return {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    environment: process.env,
    folder: process.cwd(),
    nowMs: Date.now,
  };
}

/** Nobody reads any more, as with `| head`. The command ends as it would have, with its own exit code. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

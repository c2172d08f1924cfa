interface Exit {
  readonly code: number;
  readonly meaning: string;
}

export type ExitName = 'ok' | 'refused' | 'usage' | 'unreachable' | 'local' | 'internal';

/** Scripts rely on these exit codes: the numbers never change. */
export const exits: Readonly<Record<ExitName, Exit>> = {
  ok: {
    code: 0,
    meaning: 'done: the answer is below 400, the signature is valid, the change is made, all are ready',
  },
  refused: {
    code: 1,
    meaning:
      'refused: the answer is 400 or above, the signature is not valid, a client is not ready, or a check failed',
  },
  usage: { code: 2, meaning: 'wrong use of the command line' },
  unreachable: { code: 3, meaning: 'no answer: the service cannot be reached, or did not answer in time' },
  local: { code: 4, meaning: 'a problem on this machine: a file, a key, the registry' },
  internal: { code: 5, meaning: 'a mistake in this program' },
};

/** A command failed for a known reason. The message says what to do and contains no secrets. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: ExitName;
  /** Scripts match on this, with `--json`. */
  readonly code: string;

  constructor(exit: ExitName, code: string, message: string) {
    super(message);
    this.exit = exit;
    this.code = code;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError('usage', 'usage', message);
}

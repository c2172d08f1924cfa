interface Exit {
  readonly code: number;
  readonly meaning: string;
}

export type ExitName = 'ok' | 'refused' | 'usage' | 'unreachable' | 'local' | 'internal';

/** Scripts rely on these exit codes: the numbers never change. */
export const exits: Readonly<Record<ExitName, Exit>> = {
  ok: {
    code: 0,
    meaning:
      'success: the response is below 400, the signature is valid, the change was made, all clients are ready',
  },
  refused: {
    code: 1,
    meaning:
      'rejected: the response is 400 or above, the signature is invalid, a client is not ready, or a check failed',
  },
  usage: { code: 2, meaning: 'incorrect command line' },
  unreachable: { code: 3, meaning: 'no response: the service cannot be reached, or timed out' },
  local: { code: 4, meaning: 'local problem: a file, a key or the registry' },
  internal: { code: 5, meaning: 'internal error' },
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

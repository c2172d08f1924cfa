import type { ExitName } from './exits.ts';

/** A command that cannot do what it was asked. The message says what to do, and holds nothing secret. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: ExitName;
  /** What scripts match on, with `--json`. */
  readonly code: string;

  constructor(exit: ExitName, code: string, message: string) {
    super(message);
    this.exit = exit;
    this.code = code;
  }
}

/** Wrong use of the command line. */
export function usageError(message: string): CommandError {
  return new CommandError('usage', 'usage', message);
}

/** One way for a command to end. */
interface Exit {
  /** The exit code of the process. */
  readonly code: number;
  readonly meaning: string;
}

/** How a command ends. */
export type ExitName = 'ok' | 'refused' | 'usage' | 'unreachable' | 'local' | 'internal';

/** Every exit code. Scripts rely on them: the numbers never change. */
export const exits: Readonly<Record<ExitName, Exit>> = {
  ok: { code: 0, meaning: 'done: the answer is below 400, the signature is valid, the change is made' },
  refused: { code: 1, meaning: 'refused: the answer is 400 or above, or the signature is not valid' },
  usage: { code: 2, meaning: 'wrong use of the command line' },
  unreachable: { code: 3, meaning: 'no answer: the service cannot be reached, or did not answer in time' },
  local: { code: 4, meaning: 'a problem on this machine: a file, a key, the registry' },
  internal: { code: 5, meaning: 'a mistake in this program' },
};

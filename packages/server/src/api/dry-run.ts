import type { Answer } from '@countersign/gate';

/**
 * Runs a change, and undoes it if it is only a dry run: its transaction is rolled back after all its work, so
 * the response shows exactly what the change would do.
 *
 * @param run gets the function that the transaction ends with
 */
export async function dryRun<Body>(
  isDryRun: boolean,
  run: (end: (answer: Answer<Body>) => Answer<Body>) => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  try {
    return await run((answer) => {
      if (isDryRun) throw new RolledBack(answer);
      return answer;
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.answer as Answer<Body>;
    throw error;
  }
}

class RolledBack extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('This was a dry run.');
    this.answer = answer;
  }
}

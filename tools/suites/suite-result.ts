export interface SkippedTest {
  readonly name: string;
  readonly reason: string;
}

export interface FailedTest {
  /** Relative to the repository. */
  readonly file: string;
  /** Includes the names of the suites around it; empty if a whole process failed. */
  readonly name: string;
  /** The first lines of the reason. */
  readonly reason: string;
}

/** The reporter sends it to the parent process. */
export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly SkippedTest[];
  /** At most as many as `failed`: failures caused by a surrounding suite are shown once. */
  readonly failures: readonly FailedTest[];
}

/** Adds up results; the sum of none is a run in which nothing happened. */
export function sumOf(results: readonly SuiteResult[]): SuiteResult {
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    skipped: results.flatMap(({ skipped }) => skipped),
    failures: results.flatMap(({ failures }) => failures),
  };
}

export interface SkippedTest {
  readonly name: string;
  readonly reason: string;
}

/** The reporter sends it to the parent process. */
export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly SkippedTest[];
}

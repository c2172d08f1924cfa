/** A test that did not run, with the reason that it gave. */
export interface SkippedTest {
  readonly name: string;
  readonly reason: string;
}

/** What the tests gave, as the reporter tells it to the process that started them. */
export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly SkippedTest[];
}

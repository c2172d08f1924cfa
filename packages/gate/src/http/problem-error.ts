import { type ProblemCode, problems } from '@countersign/contract/problems';

/** Rejects a request from within a handler; it becomes `application/problem+json`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  /** A more specific sentence than the table's, for the log. */
  readonly detail: string | undefined;
  /** Extra members for the problem document, which the caller sees. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** How long the upstream was waited for; undefined if it was not asked. */
  readonly waitedMs: number | undefined;

  constructor(
    code: ProblemCode,
    options: {
      readonly detail?: string;
      readonly members?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
      readonly waitedMs?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(options.detail ?? problems[code].detail, { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
    this.waitedMs = options.waitedMs;
  }
}

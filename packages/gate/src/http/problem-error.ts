import { type ProblemCode, problems } from '@countersign/contract/problems';

/** A refusal by a handler; it becomes `application/problem+json`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  /** A sentence for the log that is more exact than the one in the table. */
  readonly detail: string | undefined;
  /** Members that are added to the problem document: the caller sees them. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;

  constructor(
    code: ProblemCode,
    options: {
      readonly detail?: string;
      readonly members?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(options.detail ?? problems[code].detail, { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }
}

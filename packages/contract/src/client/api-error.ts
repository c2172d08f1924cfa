import { isProblemCode, type ProblemCode } from '../problems.ts';

/** What a refusal says (RFC 9457), with the members that this API adds. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId?: string;
  readonly reason?: string;
  /** The clock of the service, where the time is the matter. */
  readonly serverTime?: string;
  /** Every wrong member of the body, by its JSON Pointer. */
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/**
 * Why a call failed: a code of the service; `problem_unknown` when the service is newer and has a code that is not known
 * here (it stands in `problem`); `answer_unreadable` when the answer is not one of this API.
 */
export type ApiErrorCode = ProblemCode | 'problem_unknown' | 'answer_unreadable';

/** A call that was answered, and not with success. Match on `code`; the message is for people. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  /** What the service said; undefined when the answer was not readable. */
  readonly problem: ProblemDocument | undefined;
  /** The header fields of the answer. */
  readonly headers: Headers;
  /** The name of the request, to ask the operator about. */
  readonly requestId: string | undefined;
  /** How long to wait before the next attempt; undefined when the service does not ask for it. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ApiErrorCode,
    message: string,
    { status, headers }: Pick<Response, 'status' | 'headers'>,
    { problem, cause }: { problem?: ProblemDocument; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.problem = problem;
    this.requestId = headers.get('Request-Id') ?? undefined;
    const retryAfter = headers.get('Retry-After') ?? '';
    this.retryAfterSeconds = /^[0-9]{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  }
}

/** Reads an answer that is not a success. */
export async function readRefusal(response: Response): Promise<ApiError> {
  const type = response.headers.get('Content-Type') ?? '';
  const text = await response.text();
  const problem = /^application\/problem\+json\s*(?:;|$)/i.test(type) ? readProblem(text) : undefined;
  if (problem === undefined) {
    const message = `The answer has status ${response.status} and is none of this API: is the base URL right?`;
    return new ApiError('answer_unreadable', message, response);
  }
  const { code, title, detail, reason } = problem;
  const message = `${title}${reason === undefined ? '' : ` (${reason})`}. ${detail}`;
  return new ApiError(isProblemCode(code) ? code : 'problem_unknown', message, response, { problem });
}

function readProblem(text: string): ProblemDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isProblem(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is ProblemDocument {
  if (typeof value !== 'object' || value === null) return false;
  const { code, title, detail, reason } = value as Record<string, unknown>;
  return (
    [code, title, detail].every((text) => typeof text === 'string') &&
    (reason === undefined || typeof reason === 'string')
  );
}

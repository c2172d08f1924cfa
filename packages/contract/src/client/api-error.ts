import { isProblemCode, type ProblemCode } from '../problems.ts';

/** One invalid member of a body, by its JSON Pointer (RFC 6901). */
export interface MemberError {
  readonly pointer: string;
  readonly detail: string;
}

/** The problem document of a rejection (RFC 9457). Some codes have members of their own. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId?: string;
  readonly reason?: string;
  /** The service's clock, if the rejection is about time. */
  readonly serverTime?: string;
  readonly errors?: readonly MemberError[];
  readonly [member: string]: unknown;
}

/**
 * A problem code of the service, or one that a client sets itself: `problem_unknown` for a code that only a
 * newer service knows (see `problem.code`), `answer_unreadable` for a response that is not from this API. The
 * others are for clients that a person uses.
 */
export type ApiErrorCode =
  | ProblemCode
  | 'problem_unknown'
  | 'answer_unreadable'
  | 'service_unreachable'
  | 'cancelled'
  | 'passkey_failed'
  | 'waits_for_second_person';

interface ApiErrorParts {
  readonly code: ApiErrorCode;
  /** 0 if there was no response. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly MemberError[];
  readonly problem?: ProblemDocument;
  readonly headers?: Headers;
  readonly cause?: unknown;
}

/** A failed call. Match on `code`; the texts are for people and may change. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The invalid members of the body, without entries that are not well-formed. */
  readonly errors: readonly MemberError[];
  /** The problem document of the rejection; undefined unless the service sent one. */
  readonly problem: ProblemDocument | undefined;
  readonly headers: Headers;
  /** The operator finds the request in the log by this ID. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(parts: ApiErrorParts) {
    const { code, status, title, detail, errors = [], problem, headers = new Headers(), cause } = parts;
    const reason = problem?.reason;
    super(`${title}${reason === undefined ? '' : ` (${reason})`}. ${detail}`, { cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.problem = problem;
    this.errors = errors;
    this.headers = headers;
    this.requestId = headers.get('Request-Id') ?? problem?.requestId;
    const retryAfter = headers.get('Retry-After') ?? '';
    this.retryAfterSeconds = /^[0-9]{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  }
}

/** Turns an unsuccessful response into an error, whatever its content. */
export async function readRefusal(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text();
  const isProblemType = /^application\/problem\+json\s*(?:;|$)/i.test(headers.get('Content-Type') ?? '');
  const problem = isProblemType ? readProblem(text) : undefined;
  if (problem === undefined)
    return unreadable(response, `The answer has status ${status} and is not from this API`);
  const { code, title, detail } = problem;
  return new ApiError({
    code: isProblemCode(code) ? code : 'problem_unknown',
    status,
    title,
    detail,
    errors: Array.isArray(problem.errors) ? problem.errors.filter(isMemberError) : [],
    problem,
    headers,
  });
}

/** The error for a response that this API never sends. */
export function unreadable({ status, headers }: Response, title: string, cause?: unknown): ApiError {
  return new ApiError({
    code: 'answer_unreadable',
    status,
    title,
    detail: 'Check the base URL.',
    headers,
    cause,
  });
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
  const { code, title, detail, reason, requestId } = value as Record<string, unknown>;
  return (
    [code, title, detail].every((text) => typeof text === 'string') &&
    [reason, requestId].every((text) => text === undefined || typeof text === 'string')
  );
}

function isMemberError(value: unknown): value is MemberError {
  if (typeof value !== 'object' || value === null) return false;
  const { pointer, detail } = value as Record<string, unknown>;
  return typeof pointer === 'string' && typeof detail === 'string';
}

import type { StepUpMethod } from '@countersign/contract';

/** One wrong member of a body, by its JSON Pointer (RFC 6901). */
export interface MemberError {
  readonly pointer: string;
  readonly detail: string;
}

/** What an `ApiError` is made of. */
export interface ApiErrorParts {
  readonly code: string;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly MemberError[];
  readonly members?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * A call that did not succeed. `code` is one of the service's problem codes, or one of the page's own: `cancelled` when the
 * person did not confirm who they are, `service_unreachable` when no answer came, `answer_unreadable` when it is none of
 * this service.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly MemberError[];
  /** All members of the problem document (RFC 9457), also those that only some codes have. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(parts: ApiErrorParts) {
    super(`${parts.code}: ${parts.title}`);
    this.name = 'ApiError';
    this.code = parts.code;
    this.status = parts.status;
    this.title = parts.title;
    this.detail = parts.detail;
    this.errors = parts.errors ?? [];
    this.members = parts.members ?? {};
    this.retryAfterSeconds = parts.retryAfterSeconds;
  }

  /** The name of the request, to ask the operator about. */
  get requestId(): string | undefined {
    const requestId = this.members['requestId'];
    return typeof requestId === 'string' ? requestId : undefined;
  }
}

/** Whether a failure is of this code. */
export function isApiError(error: unknown, code?: string): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code);
}

const knownMethods: readonly string[] = [
  'password',
  'totp',
  'recovery-code',
  'passkey',
  'identity-provider',
] satisfies StepUpMethod[];

/**
 * What the service takes as a fresh proof of who the person is; the password alone when it does not say, and nothing when the
 * person has nothing.
 */
export function stepUpMethodsOf(error: ApiError): readonly StepUpMethod[] {
  const methods = error.members['methods'];
  if (!Array.isArray(methods)) return ['password'];
  return methods.filter(
    (method): method is StepUpMethod => typeof method === 'string' && knownMethods.includes(method),
  );
}

/** Reads an answer that is not a success; never throws, whatever the answer holds. */
export async function readRefusal(response: Response): Promise<ApiError> {
  const problem = await readProblem(response);
  const retryAfter = response.headers.get('Retry-After') ?? '';
  const retryAfterSeconds = /^[0-9]{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  if (problem === undefined) {
    return new ApiError({
      code: 'answer_unreadable',
      status: response.status,
      title: 'The answer could not be read',
      detail: `Something between this page and the service answered with status ${response.status}. Try again; if it stays, tell the operator.`,
      retryAfterSeconds,
    });
  }
  const { code, title, detail, errors } = problem;
  return new ApiError({
    code: code as string,
    status: response.status,
    title: title as string,
    detail: detail as string,
    errors: Array.isArray(errors) ? errors.filter(isMemberError) : [],
    members: problem,
    retryAfterSeconds,
  });
}

async function readProblem(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = await response.json();
    if (typeof value !== 'object' || value === null) return undefined;
    const problem = value as Record<string, unknown>;
    const isWhole = ['code', 'title', 'detail'].every((name) => typeof problem[name] === 'string');
    return isWhole ? problem : undefined;
  } catch {
    return undefined;
  }
}

function isMemberError(value: unknown): value is MemberError {
  if (typeof value !== 'object' || value === null) return false;
  const { pointer, detail } = value as Record<string, unknown>;
  return typeof pointer === 'string' && typeof detail === 'string';
}

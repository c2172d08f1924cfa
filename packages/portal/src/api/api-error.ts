import { ApiError, type ApiErrorCode, type StepUpMethod } from '@countersign/contract';

/** Narrows an unknown failure to an `ApiError`, of one code if given. */
export function isApiError(error: unknown, code?: ApiErrorCode): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code);
}

const knownMethods: readonly unknown[] = [
  'password',
  'totp',
  'recovery-code',
  'passkey',
  'identity-provider',
] satisfies StepUpMethod[];

/** The known facts about a request that named no known client. */
export interface UnattributedRequest {
  readonly outcome: string;
  readonly receivedAt: string;
}

/** Returns the known facts about the requested request if it belongs to no account; undefined if there are none. */
export function unattributedOf(error: unknown): UnattributedRequest | undefined {
  const found = isApiError(error, 'not_found') ? error.problem?.['unattributed'] : undefined;
  if (typeof found !== 'object' || found === null || !('outcome' in found) || !('receivedAt' in found))
    return undefined;
  const { outcome, receivedAt } = found;
  return typeof outcome === 'string' && typeof receivedAt === 'string' ? { outcome, receivedAt } : undefined;
}

/**
 * Returns the proofs that the service accepts: the password if it names none, nothing if the person has none
 * of them.
 */
export function stepUpMethodsOf({ problem }: ApiError): readonly StepUpMethod[] {
  const methods = problem?.['methods'];
  if (!Array.isArray(methods)) return ['password'];
  return methods.filter((method): method is StepUpMethod => knownMethods.includes(method));
}

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

/** Returns the proofs the service accepts: the password if it names none, nothing if the person has none of them. */
export function stepUpMethodsOf({ problem }: ApiError): readonly StepUpMethod[] {
  const methods = problem?.['methods'];
  if (!Array.isArray(methods)) return ['password'];
  return methods.filter((method): method is StepUpMethod => knownMethods.includes(method));
}

import { operationSchemas } from '../operation-schemas.ts';
import type { Operation } from '../operations.ts';
import { type ProblemCode, problems } from '../problems.ts';

/** The codes that an operation can answer with, in the order of the table of problems. */
export function problemCodesOf(operation: Operation): readonly ProblemCode[] {
  const { id, path, permission, ifMatch, takesIdempotencyKey, callers, takesAnything, takesPrivateKeys } =
    operation;
  const { body, query } = operationSchemas[id];
  const codes = new Set<ProblemCode>([...commonProblemCodes, ...(operation.problems ?? [])]);
  if (permission !== undefined || callers === 'people') codes.add('permission_denied');
  // What belongs to another account is not there for the caller: in a path, and in a filter of a list.
  if (path.includes('{') || query['accountId']) codes.add('not_found');
  if (callers !== 'clients') for (const code of ofSessions) codes.add(code);
  if (body && !takesAnything) codes.add('content_type_unsupported');
  if (query['cursor']) codes.add('cursor_invalid');
  if (ifMatch === 'required') codes.add('precondition_required');
  if (ifMatch !== undefined) codes.add('precondition_failed');
  if (takesIdempotencyKey) for (const code of ofIdempotency) codes.add(code);
  if (body && !takesAnything && !takesPrivateKeys) codes.add('private_key_refused');
  return (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
}

/** What every request with a session can meet besides, before the account is known. */
export const sessionProblemCodes: readonly ProblemCode[] = ['session_required'];

/** What only the sign-in of the portal answers, which is no part of the API. */
export const signInProblemCodes: readonly ProblemCode[] = [
  'credentials_invalid',
  'second_factor_invalid',
  'link_invalid',
  'password_too_weak',
];

/** What every request can meet, whatever it asks for. */
export const commonProblemCodes: readonly ProblemCode[] = [
  'request_malformed',
  'uri_too_long',
  'headers_too_large',
  'too_many_failures',
  'signature_missing',
  'signature_malformed',
  'parameters_invalid',
  'algorithm_not_allowed',
  'components_invalid',
  'created_expired',
  'created_in_future',
  'date_invalid',
  'date_mismatch',
  'signature_invalid',
  'client_disabled',
  'network_not_allowed',
  'rate_limited',
  'body_too_large',
  'digest_missing',
  'digest_malformed',
  'digest_mismatch',
  'signature_replayed',
  // A body where none belongs is refused by this code too.
  'body_invalid',
  'query_invalid',
  'guard_unavailable',
  'guard_full',
  'recently_restarted',
  'registry_stale',
  'storage_unavailable',
  'outcome_unknown',
  'shutting_down',
  'request_timeout',
  'internal_error',
];

/** What a person can meet; an account that is not one's own is not there. */
const ofSessions: readonly ProblemCode[] = [
  ...sessionProblemCodes,
  'cross_site_request',
  'not_found',
  'second_factor_required',
  'step_up_required',
];

const ofIdempotency: readonly ProblemCode[] = [
  'idempotency_key_malformed',
  'idempotency_key_in_use',
  'idempotency_key_reused',
];

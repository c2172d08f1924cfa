import { operationSchemas } from '../operation-schemas.ts';
import type { Operation } from '../operations.ts';
import { type ProblemCode, problemCodesMetBy, problems } from '../problems.ts';

/** The codes that an operation can respond with, in the order of the table of problems. */
export function problemCodesOf(operation: Operation): readonly ProblemCode[] {
  const { id, path, permission, ifMatch, takesIdempotencyKey, callers, takesAnything, takesPrivateKeys } =
    operation;
  const { body, query } = operationSchemas[id];
  const codes = new Set<ProblemCode>([...problemCodesMetBy('every request'), ...(operation.problems ?? [])]);
  if (permission !== undefined || callers === 'people') codes.add('permission_denied');
  // What belongs to another account does not exist for the caller: in a path, and in a filter of a list.
  if (path.includes('{') || query['accountId']) codes.add('not_found');
  // Another person's account does not exist either.
  if (callers !== 'clients')
    for (const code of [...problemCodesMetBy('session'), 'not_found'] as const) codes.add(code);
  if (body && !takesAnything) codes.add('content_type_unsupported');
  if (query['cursor']) codes.add('cursor_invalid');
  if (ifMatch === 'required') codes.add('precondition_required');
  if (ifMatch !== undefined) codes.add('precondition_failed');
  if (operation.mayWait) codes.add('pending_changes_too_many');
  // What a person asks for waits.
  if (operation.mayWait && callers !== 'people') codes.add('second_person_required');
  if (takesIdempotencyKey) for (const code of problemCodesMetBy('idempotency key')) codes.add(code);
  if (body && !takesAnything && !takesPrivateKeys) codes.add('private_key_refused');
  return (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
}

import type { z } from 'zod';
import { type BodyFault, pointerTo, readJson } from './strict-json.ts';
import { type ApiRequest, ProblemError } from './upstream.ts';

/**
 * Reads the body of a request by a schema.
 *
 * @throws ProblemError `content_type_unsupported`; `body_invalid` with `errors`, every wrong member at once
 */
export function readBodyAs<Value>(request: ApiRequest, schema: z.ZodType<Value>): Value {
  if (!jsonContentType.test(request.header('content-type') ?? ''))
    throw new ProblemError('content_type_unsupported');
  const json = readJson(request.body);
  if (!json.ok) throw bodyInvalid([json.fault]);
  const result = schema.safeParse(json.value);
  if (result.success) return result.data;
  throw bodyInvalid(result.error.issues.flatMap(faultsOf).slice(0, faultsMax));
}

/** Refuses a body where an operation has none: it would be signed, and then not read. */
export function refuseBody(request: ApiRequest): void {
  if (request.body.length > 0)
    throw bodyInvalid([{ pointer: '', detail: 'Send no body with this operation.' }]);
}

/** RFC 8259 defines no charset for JSON, but many clients name the only one that there is. */
const jsonContentType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;
const faultsMax = 20;

function bodyInvalid(errors: readonly BodyFault[]): ProblemError {
  return new ProblemError('body_invalid', { members: { errors } });
}

function faultsOf(issue: z.core.$ZodIssue): BodyFault[] {
  const pointer = issue.path.reduce<string>((whole, member) => pointerTo(whole, String(member)), '');
  if (issue.code !== 'unrecognized_keys') return [{ pointer, detail: issue.message }];
  return issue.keys.map((name) => ({
    pointer: pointerTo(pointer, name),
    detail: 'Leave this member out: it has no meaning here.',
  }));
}

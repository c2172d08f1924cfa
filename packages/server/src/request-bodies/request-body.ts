import type { z } from 'zod';
import { bodyMembersMax, type Operation } from '@countersign/contract';
import { type BodyFault, pointerTo, readJsonInTurns } from './strict-json.ts';
import { ProblemError } from '@countersign/gate';

/** The parts of a request that are needed to read its body. */
export interface BodyRequest {
  readonly operation: Pick<Operation, 'method' | 'bodyMembersMax'>;
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
}

/**
 * Reads a request's body as JSON, without a schema. Other requests are served while a large one is read.
 *
 * @throws ProblemError `content_type_unsupported`, `body_invalid`
 */
export async function readBodyJson(request: BodyRequest): Promise<unknown> {
  const { operation } = request;
  const contentType = operation.method === 'PATCH' ? patchContentType : jsonContentType;
  if (!contentType.test(request.header('content-type') ?? ''))
    throw new ProblemError('content_type_unsupported');
  const json = await readJsonInTurns(request.body, operation.bodyMembersMax ?? bodyMembersMax);
  if (!json.ok) throw bodyInvalid([json.fault]);
  return json.value;
}

/**
 * Parses a body's value with a schema.
 *
 * @param further faults that the schema cannot detect
 * @throws ProblemError `body_invalid` with `errors`, every wrong member at once
 */
export function fitBody<Value>(
  value: unknown,
  schema: z.ZodType<Value>,
  further: readonly BodyFault[],
): Value {
  const reading = bodyFaults(value, schema);
  if (reading.ok && further.length === 0) return reading.value;
  throw bodyInvalid([...(reading.ok ? [] : reading.faults), ...further].slice(0, faultsMax));
}

/** Parses a value with a schema, and returns every wrong member at once. */
export function bodyFaults<Value>(
  value: unknown,
  schema: z.ZodType<Value>,
):
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly faults: readonly BodyFault[] } {
  const result = schema.safeParse(value);
  const faults: BodyFault[] = [];
  const issues = result.success ? [] : result.error.issues;
  for (const issue of issues.slice(0, faultsMax)) faults.push(...faultsOf(issue));
  if (hasSkipped(value)) findSkipped(value, '', faults);
  if (result.success && faults.length === 0) return { ok: true, value: result.data };
  return { ok: false, faults: faults.slice(0, faultsMax) };
}

export function rejectBody(request: Pick<BodyRequest, 'body'>): void {
  if (request.body.length > 0)
    throw bodyInvalid([{ pointer: '', detail: 'Send no body with this operation.' }]);
}

export function bodyInvalid(errors: readonly BodyFault[]): ProblemError {
  return new ProblemError('body_invalid', { members: { errors } });
}

/** RFC 8259 defines no charset for JSON, but many clients name the only possible one. */
export const jsonContentType: RegExp =
  /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;
/**
 * The media types of a change as defined by RFC 7396. Both mean the same, so it is harmless that the header is
 * not signed.
 */
const patchContentType =
  /^application\/(?:merge-patch\+)?json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;
const faultsMax = 20;

function faultsOf(issue: z.core.$ZodIssue): BodyFault[] {
  const pointer = issue.path.reduce<string>((whole, member) => pointerTo(whole, String(member)), '');
  if (issue.code !== 'unrecognized_keys') return [{ pointer, detail: issue.message }];
  return issue.keys
    .slice(0, faultsMax)
    .map((name) => ({ pointer: pointerTo(pointer, name), detail: leaveOut }));
}

const leaveOut = 'Omit this member: it has no meaning here.';

/**
 * Returns true if there is a member that the schema library ignores. Without building pointers, this is much
 * faster than finding it.
 */
function hasSkipped(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value))
    if (hasSkipped(member)) return true;
  return false;
}

/**
 * Adds faults for members that the schema library silently ignores, because they would be signed but have no
 * effect. Stops when there are enough faults.
 */
function findSkipped(value: unknown, pointer: string, faults: BodyFault[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (faults.length >= faultsMax) return;
    if (name === '__proto__') faults.push({ pointer: `${pointer}/__proto__`, detail: leaveOut });
    else if (typeof member === 'object') findSkipped(member, pointerTo(pointer, name), faults);
  }
}

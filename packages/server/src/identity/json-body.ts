import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { ProblemError, readBody, valuesOf } from '@countersign/gate';
import { bodyInvalid, fitBody, jsonContentType } from '../api/request-body.ts';
import { readJson } from '../api/strict-json.ts';

/** A body of these endpoints has at most so many bytes. */
export const bodyBytesMax = 16_384;

/** The connection ended before the body was there: nobody waits for an answer. */
export class AbortedError extends Error {}

/**
 * Reads the body of a request as strict JSON of a schema.
 *
 * @throws ProblemError `body_too_large`, `content_type_unsupported`, `body_invalid`
 * @throws AbortedError
 */
export async function readJsonBody<Value>(
  request: IncomingMessage,
  response: ServerResponse,
  schema: z.ZodType<Value>,
): Promise<Value> {
  const { rawHeaders } = request;
  if (Number(valuesOf(rawHeaders, 'content-length')[0] ?? 0) > bodyBytesMax)
    throw new ProblemError('body_too_large');
  if (!jsonContentType.test(valuesOf(rawHeaders, 'content-type').join(', ')))
    throw new ProblemError('content_type_unsupported');
  if (valuesOf(rawHeaders, 'expect').length > 0) response.writeContinue();
  const reading = await readBody(request, bodyBytesMax);
  if (reading.outcome === 'too-large') throw new ProblemError('body_too_large');
  if (reading.outcome === 'aborted') throw new AbortedError('The connection ended.');
  // A request without anything to say may leave its body out.
  const json = reading.bytes.length === 0 ? { ok: true as const, value: {} } : readJson(reading.bytes);
  if (!json.ok) throw bodyInvalid([json.fault]);
  return fitBody(json.value, schema, []);
}

import type { PublicKeyPolicy, RsaPublicKey } from '@countersign/signature/node';
import type { z } from 'zod';
import { fitBody, readBodyAs, readBodyJson } from '../request-body.ts';
import type { ApiRequest } from '../handler.ts';
import { readKeyInTurns } from './key-turns.ts';
import { refusePrivateKeys } from './private-key.ts';

/**
 * Reads a body of the management API.
 *
 * @throws ProblemError `private_key_refused`, `content_type_unsupported`, `body_invalid`
 */
export function readManagementBody<Value>(request: ApiRequest, schema: z.ZodType<Value>): Value {
  return readBodyAs(request, schema, (value) => {
    refusePrivateKeys(value);
    return [];
  });
}

/** The same for a body that may be left out, and then is an empty object. */
export function readOptionalBody<Value>(request: ApiRequest, schema: z.ZodType<Value>): Value {
  return request.body.length === 0 ? schema.parse({}) : readManagementBody(request, schema);
}

/** A body with the key that stands in it. */
export interface BodyWithKey<Value> {
  readonly body: Value;
  /** The key of the member `publicKey`; undefined when there is no such member. */
  readonly key: RsaPublicKey | undefined;
}

/** The same for a body with the member `publicKey`: what is wrong with the key is told together with all else. */
export async function readBodyWithKey<Value>(
  request: ApiRequest,
  schema: z.ZodType<Value>,
  policy: PublicKeyPolicy,
): Promise<BodyWithKey<Value>> {
  const value = readBodyJson(request);
  refusePrivateKeys(value);
  const text = publicKeyIn(value);
  const reading = text === undefined ? undefined : await readKeyInTurns(text, policy);
  const faults = reading?.ok === false ? [{ pointer: '/publicKey', detail: reading.message }] : [];
  const body = fitBody(value, schema, faults);
  return { body, key: reading?.ok === true ? reading.key : undefined };
}

function publicKeyIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('publicKey' in value)) return undefined;
  return typeof value.publicKey === 'string' ? value.publicKey : undefined;
}

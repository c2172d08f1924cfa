import { type PublicKeyPolicy, readPublicKey } from '@countersign/signature/node';
import type { z } from 'zod';
import { readBodyAs } from '../request-body.ts';
import type { BodyFault } from '../strict-json.ts';
import type { ApiRequest } from '../upstream.ts';
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

/** The same for a body with the member `publicKey`: what is wrong with the key is told together with all else. */
export function readBodyWithKey<Value>(
  request: ApiRequest,
  schema: z.ZodType<Value>,
  policy: PublicKeyPolicy,
): Value {
  return readBodyAs(request, schema, (value) => {
    refusePrivateKeys(value);
    return keyFaults(value, policy);
  });
}

function keyFaults(value: unknown, policy: PublicKeyPolicy): BodyFault[] {
  if (typeof value !== 'object' || value === null || !('publicKey' in value)) return [];
  const { publicKey } = value;
  if (typeof publicKey !== 'string') return [];
  const reading = readPublicKey(publicKey, policy);
  return reading.ok ? [] : [{ pointer: '/publicKey', detail: reading.message }];
}

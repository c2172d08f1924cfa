import { isId, type Operation } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { OfferedKeyPolicy, OfferedPublicKey } from '@countersign/signature/keys';
import type { ApiRequest } from './handler.ts';
import { readKeyInTurns } from './key-turns.ts';
import { rejectPrivateKeys } from './private-key.ts';
import { fitBody, readBodyJson, rejectBody } from '../request-bodies/request-body.ts';
import { readQuery } from './request-query.ts';
import { loadSchemas } from './schemas.ts';

interface Input {
  readonly query: unknown;
  readonly body: unknown;
  readonly key: OfferedPublicKey | undefined;
}

/**
 * Reads a request's query and body by its operation's schemas. Rejects anything that the operation does not
 * accept, because it would be signed but ignored.
 *
 * @throws ProblemError `query_invalid`, `content_type_unsupported`, `private_key_refused`; `body_invalid` with
 *   every wrong member at once
 */
export async function readInput(
  { id, takesAnything, isBodyOptional, takesPrivateKeys, examinesKey }: Operation,
  request: ApiRequest,
  keyPolicy: OfferedKeyPolicy,
): Promise<Input> {
  if (takesAnything) return { query: {}, body: undefined, key: undefined };
  const { operationSchemas } = await loadSchemas();
  const { query: parameters, body: schema } = operationSchemas[id];
  if (schema === undefined) rejectBody(request);
  const query = readQuery(request.query, parameters);
  if (schema === undefined) return { query, body: undefined, key: undefined };
  if (isBodyOptional && request.body.length === 0) return { query, body: schema.parse({}), key: undefined };
  const value = await readBodyJson(request);
  if (!takesPrivateKeys) await rejectPrivateKeys(value);
  const text = examinesKey ? publicKeyIn(value) : undefined;
  const reading = text === undefined ? undefined : await readKeyInTurns(text, keyPolicy);
  const faults = reading?.ok === false ? [{ pointer: '/publicKey', detail: reading.message }] : [];
  const body = fitBody(value, schema, faults);
  return { query, body, key: reading?.ok === true ? reading.key : undefined };
}

function publicKeyIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('publicKey' in value)) return undefined;
  return typeof value.publicKey === 'string' ? value.publicKey : undefined;
}

/**
 * Reads an ID in the path.
 *
 * @param prefix required; a text without it identifies nothing
 * @throws ProblemError `not_found`
 */
export function idInPath(
  { parameters }: Pick<ApiRequest, 'parameters'>,
  parameter: string,
  prefix: string,
): string {
  const id = parameters[parameter] ?? '';
  if (!isId(prefix, id)) throw new ProblemError('not_found');
  return id;
}

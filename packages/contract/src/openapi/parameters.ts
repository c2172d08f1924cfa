import { operationSchemas } from '../operation-schemas.ts';
import { type OperationId, operations } from '../operations.ts';
import { pageLimits } from '../pages.ts';
import type { QueryParameter } from '../query-parameters.ts';
import type { JsonSchema, OpenApiParameter, Reference } from './document.ts';
import { pathExamples } from './examples.ts';
import { parameterSchema } from './schemas.ts';

/** What an operation takes besides its body: in the path, in the query, in header fields. */
export function parametersOf(id: OperationId): (OpenApiParameter | Reference)[] {
  const { path, ifMatch, takesIdempotencyKey } = operations[id];
  const query = operationSchemas[id].query ?? {};
  const ofPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => reference(match[1] ?? ''));
  const ofQuery = Object.entries(query).map(([name, parameter]) =>
    queryParameter(name, parameter, 'format' in query),
  );
  return [
    ...ofPath,
    ...ofQuery,
    ...(ifMatch === undefined ? [] : [reference(ifMatch === 'required' ? 'ifMatchRequired' : 'ifMatch')]),
    ...(takesIdempotencyKey ? [reference('idempotencyKey')] : []),
  ];
}

/** The parameters that several operations share, by the names of their components. */
export const sharedParameters: Readonly<Record<string, OpenApiParameter>> = {
  ...Object.fromEntries(
    Object.entries({
      accountId: 'The id of the account.',
      clientId: 'The id of the client, percent-encoded where it has characters that a path cannot have.',
      entry: 'The address or network in any spelling, percent-encoded: `203.0.113.0%2F24`.',
      eventId: 'The id of the audit event.',
      invitationId: 'The id of the invitation.',
      keyId: 'The id of the key.',
      paymentId: 'The id of the payment.',
      requestId: 'The id of the request, as its answer told it.',
      roleId: 'The name of a built-in role, or the id of an own one.',
      userId: 'The id of the person.',
    }).map(([name, description]) => [name, inPath(name, description)]),
  ),
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` of the state that you have seen: if it has changed since, nothing is done.',
    schema: { type: 'string' },
  },
  ifMatchRequired: {
    name: 'If-Match',
    in: 'header',
    required: true,
    description:
      'The `ETag` of the state that you have seen, or `*` for any: if it has changed since, nothing is done.',
    schema: { type: 'string' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A name for this request that you use for its repetitions only: they get the answer of the first, for 24 hours.',
    schema: { type: 'string', pattern: '^("[A-Za-z0-9._~:+/=-]{1,128}"|[A-Za-z0-9._~:+/=-]{1,128})$' },
  },
};

function inPath(name: string, description: string): OpenApiParameter {
  const example = pathExamples[name] ?? name;
  return { name, in: 'path', required: true, description, schema: { type: 'string', minLength: 1 }, example };
}

function reference(name: string): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

function queryParameter(
  name: string,
  { schema, summary, isRequired }: QueryParameter,
  isExport: boolean,
): OpenApiParameter {
  return {
    name,
    in: 'query',
    ...(isRequired && { required: true }),
    description: `${summary}.`,
    schema: queryValues[name]?.(isExport) ?? parameterSchema(schema),
  };
}

/** Those whose texts mean numbers and times: their schemas read texts, and say little about what is meant. */
const queryValues: Readonly<Record<string, (isExport: boolean) => JsonSchema>> = {
  limit: (isExport) => ({
    type: 'integer',
    minimum: 1,
    maximum: isExport ? pageLimits.exportLimitMax : pageLimits.limitMax,
    default: pageLimits.limitDefault,
  }),
  from: () => ({ type: 'string', format: 'date-time' }),
  to: () => ({ type: 'string', format: 'date-time' }),
};

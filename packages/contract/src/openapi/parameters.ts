import { pageLimits } from '../limits.ts';
import { operationSchemas } from '../operation-schemas.ts';
import type { Operation } from '../operations.ts';
import type { QueryParameter } from '../schemas/query-parameters.ts';
import type { JsonSchema, OpenApiParameter, Reference } from './document.ts';
import { parameterSchema } from './schemas.ts';

/** The parameters in an operation's path, query and header fields. */
export function parametersOf({
  id,
  path,
  ifMatch,
  takesIdempotencyKey,
}: Operation): (OpenApiParameter | Reference)[] {
  const { query } = operationSchemas[id];
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

const exampleId = '01m7xp8vqzcpm249ybm4jc106e';

/** The components for parameters, by their names. */
export const sharedParameters: Readonly<Record<string, OpenApiParameter>> = {
  accountId: inPath('accountId', 'The id of the account.', 'account_01m7xp8vap0ece1swwccz1jnzr'),
  clientId: inPath(
    'clientId',
    'The id of the client, percent-encoded where it has characters that a path cannot have.',
    'client_01m7xp8vap0ece1swwccz1jnzr',
  ),
  entry: inPath(
    'entry',
    'The address or network in any spelling, percent-encoded: `203.0.113.0%2F24`.',
    '203.0.113.0%2F24',
  ),
  eventId: inPath('eventId', 'The id of the audit event.', `event_${exampleId}`),
  invitationId: inPath('invitationId', 'The id of the invitation.', `invitation_${exampleId}`),
  keyId: inPath('keyId', 'The id of the key.', `key_${exampleId}`),
  paymentId: inPath('paymentId', 'The id of the payment.', `payment_${exampleId}`),
  requestId: inPath('requestId', 'The id of the request, as its answer told it.', `request_${exampleId}`),
  roleId: inPath('roleId', 'The name of a built-in role, or the id of an own one.', `role_${exampleId}`),
  userId: inPath('userId', 'The id of the person.', `person_${exampleId}`),
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

function inPath(name: string, description: string, example: string): OpenApiParameter {
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

/** Parameters whose text is a number or a time: their schemas only know texts. */
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

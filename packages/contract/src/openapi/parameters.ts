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
  accountId: inPath('accountId', "The account's ID.", 'account_01m7xp8vap0ece1swwccz1jnzr'),
  alertRuleId: inPath('alertRuleId', "The alert rule's ID.", `alertrule_${exampleId}`),
  clientId: inPath(
    'clientId',
    'The client ID, percent-encoded if it has characters that are not allowed in a path.',
    'client_01m7xp8vap0ece1swwccz1jnzr',
  ),
  entry: inPath(
    'entry',
    'The address or network in any spelling, percent-encoded: `203.0.113.0%2F24`.',
    '203.0.113.0%2F24',
  ),
  eventId: inPath('eventId', "The audit event's ID.", `event_${exampleId}`),
  noticeId: inPath('noticeId', "The notice's ID.", `notice_${exampleId}`),
  pendingChangeId: inPath('pendingChangeId', "The pending change's ID.", `change_${exampleId}`),
  invitationId: inPath('invitationId', "The invitation's ID.", `invitation_${exampleId}`),
  keyId: inPath('keyId', 'The key ID.', `key_${exampleId}`),
  paymentId: inPath('paymentId', "The payment's ID.", `payment_${exampleId}`),
  requestId: inPath('requestId', "The request's ID, from its response.", `request_${exampleId}`),
  roleId: inPath(
    'roleId',
    "The name of a built-in role, or the ID of one of the account's own.",
    `role_${exampleId}`,
  ),
  savedViewId: inPath('savedViewId', "The saved view's ID.", `view_${exampleId}`),
  userId: inPath('userId', "The person's ID.", `person_${exampleId}`),
  webhookId: inPath('webhookId', "The webhook's ID.", `webhook_${exampleId}`),
  deliveryId: inPath('deliveryId', "The delivery's ID.", `delivery_${exampleId}`),
  listenerId: inPath('listenerId', "The listener's ID.", `listener_${exampleId}`),
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the state you have seen. If the state has changed since, the request is rejected.',
    schema: { type: 'string', minLength: 1 },
  },
  ifMatchRequired: {
    name: 'If-Match',
    in: 'header',
    required: true,
    description:
      'The `ETag` of the state you have seen, or `*` for any. If the state has changed since, the request is rejected.',
    schema: { type: 'string', minLength: 1 },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique name for this request. Retries with the same name get the first response, for 24 hours.',
    schema: {
      type: 'string',
      minLength: 1,
      pattern: '^("[A-Za-z0-9._~:+/=-]{1,128}"|[A-Za-z0-9._~:+/=-]{1,128})$',
    },
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
  from: () => ({ type: 'string', format: 'date-time', minLength: 1 }),
  to: () => ({ type: 'string', format: 'date-time', minLength: 1 }),
};

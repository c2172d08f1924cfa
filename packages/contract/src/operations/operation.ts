import type { Requirement } from '../permissions.ts';
import type { ProblemCode } from '../problems.ts';
import type { QueryName, SchemaName } from '../schemas.ts';

/**
 * The complete definition of an operation. Router, handlers, typed client, OpenAPI document and tests derive
 * from it. Schemas are referenced by name, so that a browser can load this table without them.
 */
export interface OperationDefinition extends Requirement {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters are in braces: `/v1/payments/{paymentId}`. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  /** The query's parameters; none by default. */
  readonly query?: QueryName;
  /** The body's schema; none by default, and then any body is rejected. */
  readonly body?: SchemaName;
  /** Treats an empty body as an empty object. */
  readonly isBodyOptional?: true;
  /** Accepts bodies up to the service's limit instead of the management API's. */
  readonly takesLargeBodies?: true;
  /**
   * The maximum number of members and items in its body, in all objects and arrays together. Default
   * `bodyMembersMax`.
   */
  readonly bodyMembersMax?: number;
  /** Skips the search for private keys that every other body undergoes. */
  readonly takesPrivateKeys?: true;
  /** Examines the key in the member `publicKey`, and reports its faults together with all others. */
  readonly examinesKey?: true;
  /** Accepts any query and body without reading them. */
  readonly takesAnything?: true;
  /** The status of success; 200 by default. */
  readonly status?: 201;
  /** The schema of the response; for a stream, of one event. */
  readonly answer: SchemaName;
  /** True if the response is a stream of server-sent events. */
  readonly isStream?: true;
  /** Header fields of the response besides the common ones. */
  readonly headers?: readonly ('ETag' | 'Location' | 'Retry-After')[];
  /** The codes that do not follow from the rest of the definition. */
  readonly problems?: readonly ProblemCode[];
  /** Says whether a caller must, or may, name the state it has seen in `If-Match`. */
  readonly ifMatch?: 'required' | 'optional';
  /** True if it creates something, so that `Idempotency-Key` makes a retry safe. */
  readonly takesIdempotencyKey?: true;
  /** Explains a rejected signature to the sender, if the client that the request names allows it. */
  readonly explainsRefusals?: true;
  /** True if it may wait for a second person, in an account that requires one: the answer is then 202. */
  readonly mayWait?: true;
  /** True if a person must have authenticated within the last ten minutes. */
  readonly needsStepUp?: true;
}

/** The groups of the OpenAPI document, in the order in which the reference shows them. */
export const operationGroups = {
  Caller: 'Try out your signature: who you are, and how the service sees your request.',
  Payments: 'The sandbox: operations to call while you build your client.',
  Clients: 'The applications that can call the API.',
  'Network whitelist': 'The addresses that a client can call from.',
  Keys: "A client's public keys. Adding a second key starts a rotation: the old key is retired some time after the first use of the new one.",
  'Roles and permissions': 'Named sets of permissions. Nobody can grant a permission that they do not have.',
  Requests: "The clients' requests, and why some were rejected.",
  'Audit events': 'Who changed what, and when.',
  Webhooks: 'URLs that an account is told its events at, and what was sent to them.',
  Notices: 'What happened in the account and may need attention. Used by the portal.',
  'Alert rules': 'When people are told of something in the account, with thresholds of their own.',
  Accounts: "For the service's operator.",
  People: "The account's members. Used by the portal.",
  'Pending changes': 'Changes that wait for a second person. Used by the portal.',
} as const;

export type OperationGroup = keyof typeof operationGroups;

/** Adds the id to each operation of a group: its name in the table. */
export function defineOperations<const Table extends Readonly<Record<string, OperationDefinition>>>(
  group: OperationGroup,
  table: Table,
): { readonly [Id in keyof Table]: Table[Id] & { readonly id: Id; readonly group: OperationGroup } } {
  const entries = Object.entries(table).map(([id, definition]) => [id, { ...definition, id, group }]);
  return Object.fromEntries(entries) as ReturnType<typeof defineOperations<Table>>;
}

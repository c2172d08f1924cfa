import type { Requirement } from '../permissions.ts';
import type { ProblemCode } from '../problems.ts';
import type { QueryName, SchemaName } from '../schemas.ts';

/**
 * All that is said of an operation. Router, handlers, typed client, OpenAPI document and tests derive from it. Schemas go by
 * their names, so that a browser can load this table without them.
 */
export interface OperationDefinition extends Requirement {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters stand in braces: `/v1/payments/{paymentId}`. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  /** The query's parameters; none unless set. */
  readonly query?: QueryName;
  /** None unless set: any body is then refused. */
  readonly body?: SchemaName;
  /** An empty body then counts as an empty object. */
  readonly isBodyOptional?: true;
  /** Takes bodies up to the limit of the service, and not only up to that of the management API. */
  readonly takesLargeBodies?: true;
  /** How many members and items its body can have in all objects and arrays together; `bodyMembersMax` unless set. */
  readonly bodyMembersMax?: number;
  /** Skips the search for private keys, which every other body goes through. */
  readonly takesPrivateKeys?: true;
  /** Examines the key in the member `publicKey`, and reports its faults with those of the rest. */
  readonly examinesKey?: true;
  /** Accepts any query and body, and reads neither. */
  readonly takesAnything?: true;
  /** 200 unless set. */
  readonly status?: 201;
  /** Of a stream, the schema of one event. */
  readonly answer: SchemaName;
  /** Whether the answer is a stream of server-sent events. */
  readonly isStream?: true;
  /** Header fields of the answer besides those that every answer has. */
  readonly headers?: readonly ('ETag' | 'Location' | 'Retry-After')[];
  /** The codes that do not follow from the rest of the definition. */
  readonly problems?: readonly ProblemCode[];
  /** Whether a caller must, or may, name the state it has seen in `If-Match`. */
  readonly ifMatch?: 'required' | 'optional';
  /** Whether it creates, so that `Idempotency-Key` makes a repetition safe. */
  readonly takesIdempotencyKey?: true;
  /** Explains a refused signature to whoever sent it, if the client that the request names allows that. */
  readonly explainsRefusals?: true;
  /** Whether people must have proved within ten minutes who they are. */
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
  Notices: 'What happened in the account and may need attention. Used by the portal.',
  Accounts: "For the service's operator.",
  People: "The account's members. Used by the portal.",
} as const;

export type OperationGroup = keyof typeof operationGroups;

/** Gives each operation of a group its id, which is its name in the table. */
export function defineOperations<const Table extends Readonly<Record<string, OperationDefinition>>>(
  group: OperationGroup,
  table: Table,
): { readonly [Id in keyof Table]: Table[Id] & { readonly id: Id; readonly group: OperationGroup } } {
  const entries = Object.entries(table).map(([id, definition]) => [id, { ...definition, id, group }]);
  return Object.fromEntries(entries) as ReturnType<typeof defineOperations<Table>>;
}

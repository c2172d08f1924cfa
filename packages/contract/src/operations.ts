import type { Permission } from './permissions.ts';

/** One operation of the API: a method on a path, and what a caller needs for it. */
export interface Operation {
  /** The stable name, as it stands in logs and in the OpenAPI document. */
  readonly id: OperationId;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its parameters in braces, `/v1/payments/{paymentId}`. */
  readonly path: `/v1/${string}`;
  /** The permission that a role of the client must hold; undefined when any active client may call. */
  readonly permission: Permission | undefined;
  /** The permission that is enough when `{clientId}` of the path is the caller itself. */
  readonly permissionOnItself?: Permission;
  /**
   * Whether the state that the caller has seen can be named by `If-Match`: it must be (`required`), or it may be. The
   * header can only keep the operation from being done.
   */
  readonly ifMatch?: 'required' | 'optional';
  /** Whether it creates, so that `Idempotency-Key` makes a repetition safe. */
  readonly takesIdempotencyKey?: true;
  /**
   * Whether a refusal of the signature is explained to the caller, when the client that the request names allows it. The
   * caller may be anybody.
   */
  readonly explainsRefusals?: true;
  /** What it does, in a few words. */
  readonly summary: string;
}

const table = {
  getWhoami: {
    id: 'getWhoami',
    method: 'GET',
    path: '/v1/whoami',
    permission: undefined,
    summary: 'Show who the caller is and how the service sees the request',
  },
  testSignature: {
    id: 'testSignature',
    method: 'GET',
    path: '/v1/signature-test',
    permission: undefined,
    explainsRefusals: true,
    summary: 'Do nothing, and show what was verified of the request',
  },
  testSignatureByPost: {
    id: 'testSignatureByPost',
    method: 'POST',
    path: '/v1/signature-test',
    permission: undefined,
    explainsRefusals: true,
    summary: 'Do nothing, and show what was verified of the request',
  },
  testSignatureByPut: {
    id: 'testSignatureByPut',
    method: 'PUT',
    path: '/v1/signature-test',
    permission: undefined,
    explainsRefusals: true,
    summary: 'Do nothing, and show what was verified of the request',
  },
  testSignatureByPatch: {
    id: 'testSignatureByPatch',
    method: 'PATCH',
    path: '/v1/signature-test',
    permission: undefined,
    explainsRefusals: true,
    summary: 'Do nothing, and show what was verified of the request',
  },
  testSignatureByDelete: {
    id: 'testSignatureByDelete',
    method: 'DELETE',
    path: '/v1/signature-test',
    permission: undefined,
    explainsRefusals: true,
    summary: 'Do nothing, and show what was verified of the request',
  },
  createPayment: {
    id: 'createPayment',
    method: 'POST',
    path: '/v1/payments',
    permission: 'payments:write',
    takesIdempotencyKey: true,
    summary: 'Create a payment',
  },
  listPayments: {
    id: 'listPayments',
    method: 'GET',
    path: '/v1/payments',
    permission: 'payments:read',
    summary: 'List the payments of the account, newest first',
  },
  getPayment: {
    id: 'getPayment',
    method: 'GET',
    path: '/v1/payments/{paymentId}',
    permission: 'payments:read',
    summary: 'Read one payment',
  },
  cancelPayment: {
    id: 'cancelPayment',
    method: 'POST',
    path: '/v1/payments/{paymentId}/cancel',
    permission: 'payments:write',
    summary: 'Cancel a pending payment',
  },
  listClients: {
    id: 'listClients',
    method: 'GET',
    path: '/v1/clients',
    permission: 'clients:read',
    summary: 'List the clients, filtered and searched',
  },
  addClient: {
    id: 'addClient',
    method: 'POST',
    path: '/v1/clients',
    permission: 'clients:write',
    takesIdempotencyKey: true,
    summary: 'Register a client',
  },
  getClient: {
    id: 'getClient',
    method: 'GET',
    path: '/v1/clients/{clientId}',
    permission: 'clients:read',
    summary: 'Read one client',
  },
  updateClient: {
    id: 'updateClient',
    method: 'PATCH',
    path: '/v1/clients/{clientId}',
    permission: 'clients:write',
    ifMatch: 'required',
    summary: 'Change name, roles or settings of a client',
  },
  disableClient: {
    id: 'disableClient',
    method: 'POST',
    path: '/v1/clients/{clientId}/disable',
    permission: 'clients:write',
    ifMatch: 'optional',
    summary: 'Refuse the requests of a client until it is enabled',
  },
  enableClient: {
    id: 'enableClient',
    method: 'POST',
    path: '/v1/clients/{clientId}/enable',
    permission: 'clients:write',
    ifMatch: 'optional',
    summary: 'Accept the requests of a disabled client again',
  },
  revokeClient: {
    id: 'revokeClient',
    method: 'POST',
    path: '/v1/clients/{clientId}/revoke',
    permission: 'clients:write',
    ifMatch: 'optional',
    summary: 'End a client and all its keys; it can be restored for 7 days',
  },
  restoreClient: {
    id: 'restoreClient',
    method: 'POST',
    path: '/v1/clients/{clientId}/restore',
    permission: 'clients:write',
    ifMatch: 'optional',
    summary: 'Bring a revoked client back, disabled and without keys',
  },
  getNetworkWhitelist: {
    id: 'getNetworkWhitelist',
    method: 'GET',
    path: '/v1/clients/{clientId}/network-whitelist',
    permission: 'clients:read',
    summary: 'Read the network whitelist of a client',
  },
  addNetworkEntry: {
    id: 'addNetworkEntry',
    method: 'POST',
    path: '/v1/clients/{clientId}/network-whitelist',
    permission: 'clients:write',
    ifMatch: 'optional',
    takesIdempotencyKey: true,
    summary: 'Add an address or network to the whitelist',
  },
  replaceNetworkWhitelist: {
    id: 'replaceNetworkWhitelist',
    method: 'PUT',
    path: '/v1/clients/{clientId}/network-whitelist',
    permission: 'clients:write',
    ifMatch: 'required',
    summary: 'Replace the whole network whitelist',
  },
  testNetworkAddress: {
    id: 'testNetworkAddress',
    method: 'GET',
    path: '/v1/clients/{clientId}/network-whitelist/test',
    permission: 'clients:read',
    summary: 'Tell whether the whitelist allows an address, and by which entries',
  },
  removeNetworkEntry: {
    id: 'removeNetworkEntry',
    method: 'DELETE',
    path: '/v1/clients/{clientId}/network-whitelist/{entry}',
    permission: 'clients:write',
    ifMatch: 'optional',
    summary: 'Remove an address or network from the whitelist',
  },
  listKeys: {
    id: 'listKeys',
    method: 'GET',
    path: '/v1/clients/{clientId}/keys',
    permission: 'keys:read',
    permissionOnItself: 'self:rotate',
    summary: 'List the keys of a client, oldest first',
  },
  addKey: {
    id: 'addKey',
    method: 'POST',
    path: '/v1/clients/{clientId}/keys',
    permission: 'keys:write',
    permissionOnItself: 'self:rotate',
    ifMatch: 'optional',
    takesIdempotencyKey: true,
    summary: 'Add a public key, which starts a rollover when there is a key already',
  },
  getKey: {
    id: 'getKey',
    method: 'GET',
    path: '/v1/clients/{clientId}/keys/{keyId}',
    permission: 'keys:read',
    permissionOnItself: 'self:rotate',
    summary: 'Read one key',
  },
  retireKey: {
    id: 'retireKey',
    method: 'POST',
    path: '/v1/clients/{clientId}/keys/{keyId}/retire',
    permission: 'keys:write',
    permissionOnItself: 'self:rotate',
    ifMatch: 'optional',
    summary: 'Set the time at which a key ends',
  },
  extendKey: {
    id: 'extendKey',
    method: 'POST',
    path: '/v1/clients/{clientId}/keys/{keyId}/extend',
    permission: 'keys:write',
    ifMatch: 'optional',
    summary: 'Give a key that ends more time',
  },
  revokeKey: {
    id: 'revokeKey',
    method: 'POST',
    path: '/v1/clients/{clientId}/keys/{keyId}/revoke',
    permission: 'keys:write',
    ifMatch: 'optional',
    summary: 'End a key at once and for ever',
  },
  getKeyRenewalInfo: {
    id: 'getKeyRenewalInfo',
    method: 'GET',
    path: '/v1/clients/{clientId}/keys/{keyId}/renewal-info',
    permission: 'keys:read',
    permissionOnItself: 'self:rotate',
    summary: 'Tell when to change a key (after RFC 9773)',
  },
  inspectKey: {
    id: 'inspectKey',
    method: 'POST',
    path: '/v1/keys/inspect',
    permission: 'keys:read',
    summary: 'Tell what a text is as a public key, and store nothing',
  },
  listRoles: {
    id: 'listRoles',
    method: 'GET',
    path: '/v1/roles',
    permission: 'roles:read',
    summary: "List the built-in roles and the account's own",
  },
  addRole: {
    id: 'addRole',
    method: 'POST',
    path: '/v1/roles',
    permission: 'roles:write',
    takesIdempotencyKey: true,
    summary: 'Add a role of the account',
  },
  getRole: {
    id: 'getRole',
    method: 'GET',
    path: '/v1/roles/{roleId}',
    permission: 'roles:read',
    summary: 'Read one role',
  },
  updateRole: {
    id: 'updateRole',
    method: 'PATCH',
    path: '/v1/roles/{roleId}',
    permission: 'roles:write',
    ifMatch: 'required',
    summary: 'Change a role of the account, at once for all clients that have it',
  },
  removeRole: {
    id: 'removeRole',
    method: 'DELETE',
    path: '/v1/roles/{roleId}',
    permission: 'roles:write',
    ifMatch: 'required',
    summary: 'Remove a role that no client has',
  },
  listPermissions: {
    id: 'listPermissions',
    method: 'GET',
    path: '/v1/permissions',
    permission: 'roles:read',
    summary: 'List the permissions that exist',
  },
  listRequests: {
    id: 'listRequests',
    method: 'GET',
    path: '/v1/requests',
    permission: 'requests:read',
    summary: 'List or export the requests of the clients, newest first',
  },
  getRequest: {
    id: 'getRequest',
    method: 'GET',
    path: '/v1/requests/{requestId}',
    permission: 'requests:read',
    summary: 'Read what is known of one request',
  },
  getRequestExplanation: {
    id: 'getRequestExplanation',
    method: 'GET',
    path: '/v1/requests/{requestId}/explanation',
    permission: 'requests:read',
    summary: 'Read why a refused request failed, as far as it was found',
  },
  explainRequest: {
    id: 'explainRequest',
    method: 'POST',
    path: '/v1/explanations',
    permission: 'keys:read',
    summary: 'Explain a request that is pasted, and store nothing',
  },
  listAuditEvents: {
    id: 'listAuditEvents',
    method: 'GET',
    path: '/v1/audit-events',
    permission: 'audit:read',
    summary: 'List or export who changed what, newest first',
  },
  getAuditEvent: {
    id: 'getAuditEvent',
    method: 'GET',
    path: '/v1/audit-events/{eventId}',
    permission: 'audit:read',
    summary: 'Read one audit event',
  },
  listAccounts: {
    id: 'listAccounts',
    method: 'GET',
    path: '/v1/accounts',
    permission: 'accounts:read',
    summary: 'List the accounts',
  },
  addAccount: {
    id: 'addAccount',
    method: 'POST',
    path: '/v1/accounts',
    permission: 'accounts:write',
    takesIdempotencyKey: true,
    summary: 'Add an account',
  },
  getAccount: {
    id: 'getAccount',
    method: 'GET',
    path: '/v1/accounts/{accountId}',
    permission: 'accounts:read',
    summary: 'Read one account',
  },
  updateAccount: {
    id: 'updateAccount',
    method: 'PATCH',
    path: '/v1/accounts/{accountId}',
    permission: 'accounts:write',
    ifMatch: 'required',
    summary: 'Change the name or the rules of an account',
  },
} as const;

/** The name of an operation. */
export type OperationId = keyof typeof table;

/** Method, path and what else the operations have, to the letter. */
export type OperationTable = typeof table;

/** Every operation of the API. */
export const operations: Readonly<Record<OperationId, Operation>> = table;

import type { OperationId } from '@countersign/contract/operations';

/** An operation as a client calls it. */
export interface OwnCall {
  readonly operation: OperationId;
  /** The client ID in the path. */
  readonly named: string | undefined;
  /** The body, if it is JSON. */
  readonly body: unknown;
  /** The client that signs. */
  readonly clientId: string;
}

/**
 * Describes a change that a client would make to itself and might be unable to undo with a signed request;
 * undefined if there is none.
 *
 * Not checked: clients that a filter selects, because only the service knows them, and which key or roles
 * remain.
 */
export function ownLoss({ operation, named, body, clientId }: OwnCall): string | undefined {
  const isItself = named === clientId;
  switch (operation) {
    case 'disableClient':
      return isItself ? 'disables' : undefined;
    case 'revokeClient':
      return isItself ? 'revokes' : undefined;
    case 'revokeKey':
      return isItself ? 'revokes a key of' : undefined;
    case 'updateClient':
      return isItself && isEmptyList(member(body, 'roles')) ? 'takes every role from' : undefined;
    case 'changeClients':
      return lists(body, clientId) && member(body, 'dryRun') !== true
        ? lossOfAction(member(body, 'action'))
        : undefined;
    default:
      return undefined;
  }
}

function lossOfAction(action: unknown): string | undefined {
  if (action === 'disable') return 'disables';
  if (action === 'remove_roles') return 'removes roles from';
  return undefined;
}

function lists(body: unknown, clientId: string): boolean {
  const clients = member(body, 'clients');
  return Array.isArray(clients) && clients.some((client) => member(client, 'clientId') === clientId);
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

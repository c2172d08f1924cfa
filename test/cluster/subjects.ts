import { randomBytes } from 'node:crypto';
import { type AuditAction, type Client, type Key, type NetworkWhitelistContent } from '@countersign/contract';
import { readPublicKey } from '@countersign/signature/node';
import type { Answer } from '../crash/caller.ts';

/** A client as its only writer knows it. */
export interface ClientSubject {
  readonly type: 'client';
  readonly id: string;
  etag: string;
  /** In order. */
  readonly actions: AuditAction[];
  name: string;
  isDisabled: boolean;
  roles: readonly string[];
  entries: readonly string[];
  /** Keys added and not revoked, without the first. */
  keys: readonly string[];
}

/** A role of the account, likewise. */
export interface RoleSubject {
  readonly type: 'role';
  readonly id: string;
  etag: string;
  readonly actions: AuditAction[];
  readonly name: string;
  permissions: readonly string[];
}

export type Subject = ClientSubject | RoleSubject;

export interface Change {
  readonly action: AuditAction;
  readonly method: string;
  readonly path: string;
  readonly json?: unknown;
  /** Idempotency-Key for a creation, If-Match for a change. */
  readonly subject: Subject | undefined;
  readonly takesIdempotencyKey: boolean;
  /** Updates the writer's state, and returns the subject. The response is undefined if it was lost. */
  readonly made: (answer: Answer | undefined) => Subject;
}

export interface Belongings {
  readonly clients: readonly ClientSubject[];
  readonly roles: readonly RoleSubject[];
  /** Returns unique numbers, for names. */
  readonly next: () => number;
}

/** Picks a random change. */
export function anyChange(belongings: Belongings): Change {
  const { clients, roles } = belongings;
  if (clients.length < clientsMax && Math.random() < 0.15) return addClient(belongings);
  if (roles.length < rolesMax && Math.random() < 0.15) return addRole(belongings);
  const role = any(roles);
  if (role && Math.random() < 0.15) return updateRole(role);
  return any(changesOfClients)!(any(clients)!, belongings);
}

const clientsMax = 8;
const rolesMax = 4;

function addClient({ next }: Belongings): Change {
  const name = `Client ${next()}`;
  const entries = ['127.0.0.1'];
  return {
    action: 'client.added',
    method: 'POST',
    path: '/v1/clients',
    json: { name, networkWhitelist: entries.map((entry) => ({ entry })), publicKey: newPublicKey() },
    subject: undefined,
    takesIdempotencyKey: true,
    made: (answer) => {
      const { clientId } = answer!.body as unknown as Client;
      return {
        type: 'client',
        id: clientId,
        etag: etagOf(answer!),
        actions: [],
        name,
        isDisabled: false,
        roles: [],
        entries,
        keys: [],
      };
    },
  };
}

function addRole({ next }: Belongings): Change {
  const name = `role-${next()}`;
  const permissions = ['payments:read'];
  return {
    action: 'role.added',
    method: 'POST',
    path: '/v1/roles',
    json: { name, permissions },
    subject: undefined,
    takesIdempotencyKey: true,
    made: (answer) => {
      const id = String(answer!.body['roleId']);
      return { type: 'role', id, etag: etagOf(answer!), actions: [], name, permissions };
    },
  };
}

function updateRole(role: RoleSubject): Change {
  const permissions = role.permissions.length === 1 ? ['payments:read', 'payments:write'] : ['payments:read'];
  return {
    action: 'role.updated',
    method: 'PATCH',
    path: `/v1/roles/${role.id}`,
    json: { permissions },
    subject: role,
    takesIdempotencyKey: false,
    made: () => Object.assign(role, { permissions }),
  };
}

type ClientChange = (client: ClientSubject, belongings: Belongings) => Change;

const changesOfClients: readonly ClientChange[] = [
  (client, { next }) => {
    const name = `Client ${next()}`;
    return {
      action: 'client.updated',
      method: 'PATCH',
      path: `/v1/clients/${client.id}`,
      json: { name },
      subject: client,
      takesIdempotencyKey: false,
      made: () => Object.assign(client, { name }),
    };
  },
  (client, { next, roles: own }) => {
    const names = ['payments-reader', 'payments-operator', ...own.map(({ name }) => name)];
    const roles = names.filter(() => Math.random() < 0.5).toSorted();
    const name = `Client ${next()}`;
    return {
      action: 'client.updated',
      method: 'PATCH',
      path: `/v1/clients/${client.id}`,
      json: { name, roles },
      subject: client,
      takesIdempotencyKey: false,
      made: () => Object.assign(client, { name, roles }),
    };
  },
  (client) => ({
    action: client.isDisabled ? 'client.enabled' : 'client.disabled',
    method: 'POST',
    path: `/v1/clients/${client.id}/${client.isDisabled ? 'enable' : 'disable'}`,
    subject: client,
    takesIdempotencyKey: false,
    made: () => Object.assign(client, { isDisabled: !client.isDisabled }),
  }),
  (client, { next }) => {
    const entries = [newEntry(next()), ...(Math.random() < 0.5 ? ['127.0.0.1'] : [])];
    return {
      action: 'network.replaced',
      method: 'PUT',
      path: `/v1/clients/${client.id}/network-whitelist`,
      json: { entries: entries.map((entry) => ({ entry })) },
      subject: client,
      takesIdempotencyKey: false,
      made: () => Object.assign(client, { entries }),
    };
  },
  (client, { next }) => {
    const entry = newEntry(next());
    return {
      action: 'network.added',
      method: 'POST',
      path: `/v1/clients/${client.id}/network-whitelist`,
      json: { entry },
      subject: client,
      takesIdempotencyKey: true,
      made: (answer) => Object.assign(client, { entries: [...client.entries, entry], etag: etagOf(answer!) }),
    };
  },
  (client) => (client.keys.length === 0 ? addKey(client) : revokeKey(client, client.keys[0]!)),
];

function addKey(client: ClientSubject): Change {
  return {
    action: 'key.added',
    method: 'POST',
    path: `/v1/clients/${client.id}/keys`,
    json: { publicKey: newPublicKey() },
    subject: client,
    takesIdempotencyKey: true,
    made: (answer) => {
      const { keyId } = answer!.body as unknown as Key;
      return Object.assign(client, { keys: [keyId], etag: etagOf(answer!) });
    },
  };
}

function revokeKey(client: ClientSubject, keyId: string): Change {
  return {
    action: 'key.revoked',
    method: 'POST',
    path: `/v1/clients/${client.id}/keys/${keyId}/revoke`,
    json: { reason: 'superseded' },
    subject: client,
    takesIdempotencyKey: false,
    made: () => Object.assign(client, { keys: [] }),
  };
}

/** Describes how a node's view of a client differs from its writer's; undefined if it does not. */
export function differenceOfClient(
  known: ClientSubject,
  shown: Answer,
  whitelist: Answer,
): string | undefined {
  const client = shown.body as unknown as Client;
  const { entries } = whitelist.body as unknown as NetworkWhitelistContent;
  const present = {
    etag: etagOf(shown),
    name: client.name,
    status: client.status,
    roles: client.roles,
    keys: client.keys?.slice(1).map(({ keyId }) => keyId),
    entries: entries?.map(({ entry }) => entry).toSorted(),
  };
  const expected = {
    etag: known.etag,
    name: known.name,
    status: known.isDisabled ? 'disabled' : 'active',
    roles: known.roles,
    keys: known.keys,
    entries: known.entries.toSorted(),
  };
  const [is, should] = [JSON.stringify(present), JSON.stringify(expected)];
  return is === should ? undefined : `${is} instead of ${should}`;
}

/** Likewise for a role. */
export function differenceOfRole(known: RoleSubject, shown: Answer): string | undefined {
  const { name, permissions } = shown.body;
  const is = JSON.stringify([etagOf(shown), name, permissions]);
  const should = JSON.stringify([known.etag, known.name, known.permissions]);
  return is === should ? undefined : `${is} instead of ${should}`;
}

/** Returns a response's ETag, or an empty text. */
export function etagOf({ headers }: Answer): string {
  return String(headers['etag'] ?? '');
}

/** Creates a public key that the registry accepts but that has no private half; real ones take long to generate. */
function newPublicKey(): string {
  for (;;) {
    const modulus = randomBytes(256);
    modulus[0]! |= 0x80;
    modulus[255]! |= 1;
    const jwk = JSON.stringify({ kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' });
    const reading = readPublicKey(jwk);
    if (reading.ok) return reading.key.spkiPem;
  }
}

function newEntry(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

function any<Element>(elements: readonly Element[]): Element | undefined {
  return elements[Math.floor(Math.random() * elements.length)];
}

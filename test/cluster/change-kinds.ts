import type { ProblemCode } from '@countersign/contract';
import type { LocalRegistry } from '../../packages/server/src/registry/local-registry.ts';

export interface Subject {
  readonly clientId: string;
  readonly keyId: string;
  /** The role that lets it call. */
  readonly roleId: string;
}

export interface ChangeKind {
  readonly name: string;
  /** The code of the rejection. */
  readonly code: ProblemCode;
  /** As an operation of the management API. */
  readonly call: (subject: Subject) => {
    readonly method: string;
    readonly path: string;
    readonly json?: unknown;
  };
  /** The operator's command, if there is one. */
  readonly local?: (registry: LocalRegistry, subject: Subject) => Promise<unknown>;
}

const clientPath = ({ clientId }: Subject): string => `/v1/clients/${clientId}`;

/** Every change after which the next request must be rejected. */
export const changeKinds: readonly ChangeKind[] = [
  {
    name: 'disable',
    code: 'client_disabled',
    call: (subject) => ({ method: 'POST', path: `${clientPath(subject)}/disable` }),
    local: (registry, { clientId }) => registry.disableClient(clientId),
  },
  {
    name: 'revoke',
    code: 'signature_invalid',
    call: (subject) => ({ method: 'POST', path: `${clientPath(subject)}/revoke` }),
    local: (registry, { clientId }) => registry.revokeClient(clientId),
  },
  {
    name: 'revoke key',
    code: 'signature_invalid',
    call: (subject) => ({
      method: 'POST',
      path: `${clientPath(subject)}/keys/${subject.keyId}/revoke`,
      json: { reason: 'compromised' },
    }),
    local: (registry, { clientId, keyId }) => registry.revokeKey(clientId, keyId, 'compromised'),
  },
  {
    name: 'roles',
    code: 'permission_denied',
    call: (subject) => ({ method: 'PATCH', path: clientPath(subject), json: { roles: [] } }),
    local: (registry, { clientId }) => registry.setRoles(clientId, []),
  },
  {
    name: 'permissions',
    code: 'permission_denied',
    call: ({ roleId }) => ({
      method: 'PATCH',
      path: `/v1/roles/${roleId}`,
      json: { permissions: ['payments:read'] },
    }),
  },
  {
    name: 'whitelist',
    code: 'network_not_allowed',
    call: (subject) => ({
      method: 'PUT',
      path: `${clientPath(subject)}/network-whitelist`,
      json: { entries: [{ entry: '192.0.2.1' }] },
    }),
    local: (registry, { clientId }) => registry.setNetwork(clientId, [{ entry: '192.0.2.1' }]),
  },
];

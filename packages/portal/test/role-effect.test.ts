import assert from 'node:assert/strict';
import { it } from 'node:test';
import { roleEffects } from '../src/pages/roles/role-effect.ts';

it('what another role permits too is neither gained nor lost', () => {
  const role = { name: 'refunds', permissions: ['payments:read', 'payments:write'] } as const;
  const roles = [role, { name: 'payments-reader', permissions: ['payments:read'] }] as const;
  const clients = [
    { clientId: 'client_1', name: 'One', roles: ['refunds'] },
    { clientId: 'client_2', name: 'Two', roles: ['refunds', 'payments-reader'] },
    { clientId: 'client_3', name: 'Three', roles: ['refunds', 'unknown'] },
  ];
  const effects = roleEffects(clients, roles, role, ['payments:write', 'clients:read']);
  assert.deepEqual(effects, [
    { clientId: 'client_1', name: 'One', gains: ['clients:read'], loses: ['payments:read'] },
    { clientId: 'client_2', name: 'Two', gains: ['clients:read'], loses: [] },
    { clientId: 'client_3', name: 'Three', gains: ['clients:read'], loses: ['payments:read'] },
  ]);
  assert.deepEqual(roleEffects(clients, roles, role, role.permissions), []);
});

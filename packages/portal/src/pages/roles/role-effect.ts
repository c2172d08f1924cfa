import type { Client, Permission, Role } from '@countersign/contract';

/** What a change of a role changes for one client. */
export interface ClientEffect {
  readonly clientId: string;
  readonly name: string;
  readonly gains: readonly Permission[];
  readonly loses: readonly Permission[];
}

/**
 * What the clients that have a role gain and lose when its permissions change. What another role of a client permits is
 * neither gained nor lost.
 *
 * @param clients those that have the role
 * @param roles all roles of the account, the changed one as it is now
 * @param permissions of the role after the change
 */
export function roleEffects(
  clients: readonly Pick<Client, 'clientId' | 'name' | 'roles'>[],
  roles: readonly Pick<Role, 'name' | 'permissions'>[],
  role: Pick<Role, 'name' | 'permissions'>,
  permissions: readonly Permission[],
): readonly ClientEffect[] {
  const permissionsOf = new Map(roles.map(({ name, permissions: all }) => [name, all]));
  return clients.flatMap((client): ClientEffect[] => {
    const others = new Set(
      client.roles.filter((name) => name !== role.name).flatMap((name) => permissionsOf.get(name) ?? []),
    );
    const gains = permissions.filter((name) => !role.permissions.includes(name) && !others.has(name));
    const loses = role.permissions.filter((name) => !permissions.includes(name) && !others.has(name));
    return gains.length + loses.length === 0
      ? []
      : [{ clientId: client.clientId, name: client.name, gains, loses }];
  });
}

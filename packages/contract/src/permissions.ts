/** A permission of the contract, or of the deployment's own: `resource:action`. */
export type Permission = `${string}:${string}`;

export interface PermissionDescription {
  /** A few words about what it allows. */
  readonly summary: string;
}

/** The permissions that a deployment adds, by their names. */
export type DeploymentPermissions = Readonly<Record<Permission, PermissionDescription>>;

const permissionTable = {
  'payments:read': { summary: "Read and list the account's payments" },
  'payments:write': { summary: "Create and cancel the account's payments" },
  'clients:read': { summary: "Read and list the account's clients and their network whitelists" },
  'clients:write': { summary: "Add, change, disable, revoke and restore the account's clients" },
  'keys:read': { summary: "Read and list the clients' keys" },
  'keys:write': { summary: "Add, retire, extend and revoke the clients' keys" },
  'self:rotate': { summary: 'Read, add, retire and revoke only its own keys' },
  'roles:read': { summary: 'Read and list roles and permissions' },
  'roles:write': { summary: "Add, change and remove the account's own roles" },
  'requests:read': { summary: "Read and list the clients' requests" },
  'audit:read': { summary: "Read, list and export the account's audit events" },
  'webhooks:read': { summary: "Read and list the account's webhooks and their deliveries" },
  'webhooks:write': { summary: "Add, change, pause, test and remove the account's webhooks" },
  'alerts:read': { summary: "Read the account's alert rules, what they measure and what fires" },
  'alerts:write': { summary: "Add, change and remove the account's alert rules" },
  'accounts:read': { summary: 'Read all accounts and everything in them; operator only' },
  'accounts:write': { summary: 'Create and change accounts, and act in all of them; operator only' },
  'accounts:act': { summary: 'Act for another account for a limited time; operator staff only' },
  'members:read': { summary: "See the account's members and invitations; members only" },
  'members:write': { summary: 'Invite members, change their roles and remove them; members only' },
  'policy:write': { summary: "Change the account's security policy; members only" },
} as const;

/** A permission of the contract. */
export type OwnPermission = keyof typeof permissionTable;

export const permissions: Readonly<Record<OwnPermission, PermissionDescription>> = permissionTable;

/**
 * Returns true if a text names a permission of the contract. Stored names may come from a newer version;
 * unknown ones have no effect here.
 */
export function isPermission(text: string): text is OwnPermission {
  return Object.hasOwn(permissionTable, text);
}

/** The form of a permission's name. */
export const permissionPattern: RegExp = /^[a-z][a-z0-9-]{0,39}:[a-z][a-z0-9-]{0,39}$/;

const ownResources: ReadonlySet<string> = new Set(Object.keys(permissionTable).map(resourceOf));

function resourceOf(permission: string): string {
  return permission.slice(0, permission.indexOf(':'));
}

/** Returns why a deployment cannot add a permission of this name; undefined if it can. */
export function problemOfDeploymentPermission(name: string): string | undefined {
  if (!permissionPattern.test(name))
    return 'must be resource:action, each of lower-case letters, digits and hyphens, such as invoices:read';
  if (ownResources.has(resourceOf(name)))
    return `must not name the resource ${resourceOf(name)}, which is the service's own`;
  return undefined;
}

/** Permissions that only apply to callers in the operator's account, whatever their roles say. */
export const operatorPermissions: ReadonlySet<Permission> = new Set<Permission>([
  'accounts:read',
  'accounts:write',
  'accounts:act',
]);

/**
 * Permissions that only people can hold, through their roles as members: client roles never permit them,
 * whatever is stored.
 */
export const personPermissions: ReadonlySet<Permission> = new Set<Permission>([
  'accounts:act',
  'members:read',
  'members:write',
  'policy:write',
]);

/**
 * Returns true if a permission applies in an account: the operator's permissions apply only in the operator's
 * account, whatever a role says.
 */
export function countsIn(account: { readonly isOperator: boolean }, permission: Permission): boolean {
  return account.isOperator || !operatorPermissions.has(permission);
}

/** The requirement that an operation has for its caller. */
export interface Requirement {
  /** The permission that the caller must hold; undefined when every caller may. */
  readonly permission: Permission | undefined;
  /** The permission that is sufficient if `{clientId}` in the path is the calling client. */
  readonly permissionOnItself?: Permission;
  /** True if a person needs no permission when `{userId}` in the path is the caller. */
  readonly isOpenToOneself?: true;
  /** Who may call: applications by signature, or people by session; both by default. */
  readonly callers?: 'clients' | 'people';
}

/** A caller, by its id. */
export type CallerId =
  | { readonly kind: 'client'; readonly clientId: string }
  | { readonly kind: 'person'; readonly userId: string };

/**
 * Returns true if a caller with these permissions may call an operation. Nothing else decides this.
 *
 * @param parameters the values of the path's parameters
 */
export function isPermitted(
  { permission, permissionOnItself: onItself, isOpenToOneself, callers }: Requirement,
  parameters: Readonly<Record<string, string>>,
  caller: CallerId,
  held: ReadonlySet<Permission>,
): boolean {
  if (callers === (caller.kind === 'client' ? 'people' : 'clients')) return false;
  if (permission === undefined || held.has(permission)) return true;
  if (caller.kind === 'person') return isOpenToOneself === true && parameters['userId'] === caller.userId;
  return onItself !== undefined && held.has(onItself) && parameters['clientId'] === caller.clientId;
}

/** Returns true if a text names a permission of the contract that a client role can have. */
export function isClientPermission(text: string): text is OwnPermission {
  return isPermission(text) && !personPermissions.has(text);
}

/** Returns true if a client role can have a permission of this name, in this deployment or another. */
function canBeClientPermission(text: string): text is Permission {
  return isClientPermission(text) || problemOfDeploymentPermission(text) === undefined;
}

/** Returns true if a role for members can have a permission of this name, in this deployment or another. */
export function canBeMemberPermission(text: string): text is Permission {
  return isPermission(text) || problemOfDeploymentPermission(text) === undefined;
}

/** Returns true if a role for these holders can have a permission of this name, in this deployment or another. */
export function canBePermissionOf(holders: RoleHolders, text: string): text is Permission {
  return holders === 'members' ? canBeMemberPermission(text) : canBeClientPermission(text);
}

/** Returns every permission that a role for these holders can have in a deployment. */
export function permissionsFor(
  holders: RoleHolders,
  own: DeploymentPermissions,
): readonly (PermissionDescription & { readonly name: Permission })[] {
  return Object.entries({ ...permissions, ...own })
    .map(([name, { summary }]) => ({ name: name as Permission, summary }))
    .filter(({ name }) => canBePermissionOf(holders, name));
}

/** Returns the permissions of a role of the contract in a deployment. */
export function permissionsOfRole(
  { permissions: ofContract, includesDeployment }: RoleDescription,
  own: DeploymentPermissions,
): readonly Permission[] {
  if (includesDeployment === undefined) return ofContract;
  const added = Object.keys(own) as Permission[];
  const included = includesDeployment === true ? added : added.filter((name) => name.endsWith(':read'));
  return [...ofContract, ...included];
}

/** Who can have one of an account's own roles: its clients or its members. */
export type RoleHolders = 'clients' | 'members';

/** A named set of permissions. */
export interface RoleDescription {
  /** A few words about its intended holders. */
  readonly summary: string;
  readonly permissions: readonly Permission[];
  /** True if the role also has every permission that the deployment adds; `read` for only those to read. */
  readonly includesDeployment?: true | 'to read';
}

const roleTable = {
  administrator: {
    summary: 'Manages everything in the account',
    permissions: [
      'payments:read',
      'payments:write',
      'clients:read',
      'clients:write',
      'keys:read',
      'keys:write',
      'self:rotate',
      'roles:read',
      'roles:write',
      'requests:read',
      'audit:read',
      'webhooks:read',
      'webhooks:write',
      'alerts:read',
      'alerts:write',
    ],
    includesDeployment: true,
  },
  operator: {
    summary: "The operator of the service: manages all accounts; exists in the operator's account only",
    permissions: [
      'payments:read',
      'payments:write',
      'clients:read',
      'clients:write',
      'keys:read',
      'keys:write',
      'self:rotate',
      'roles:read',
      'roles:write',
      'requests:read',
      'audit:read',
      'webhooks:read',
      'webhooks:write',
      'alerts:read',
      'alerts:write',
      'accounts:read',
      'accounts:write',
    ],
    includesDeployment: true,
  },
  'keys-manager': {
    summary: 'Rotates the keys of other clients, within its own permissions',
    permissions: ['clients:read', 'keys:read', 'keys:write'],
  },
  'key-rotator': {
    summary: "Rotates its own keys, and no other client's",
    permissions: ['self:rotate'],
  },
  auditor: {
    summary: 'Read-only access to everything',
    permissions: [
      'clients:read',
      'keys:read',
      'roles:read',
      'requests:read',
      'audit:read',
      'webhooks:read',
      'alerts:read',
    ],
  },
  'api-user': {
    summary: 'Full access to the protected API',
    permissions: [],
    includesDeployment: true,
  },
  'api-reader': {
    summary: 'Read-only access to the protected API',
    permissions: [],
    includesDeployment: 'to read',
  },
  'payments-operator': {
    summary: 'Creates, cancels, reads and lists payments',
    permissions: ['payments:read', 'payments:write'],
  },
  'payments-reader': {
    summary: 'Reads and lists payments',
    permissions: ['payments:read'],
  },
} as const;

/** The name of a role that every account has. */
export type BuiltInRole = keyof typeof roleTable;

/** The roles that every account has. Their permissions are defined here, not in storage. */
export const builtInRoles: Readonly<Record<BuiltInRole, RoleDescription>> = roleTable;

/** Returns true if a text names a built-in role. */
export function isBuiltInRole(text: string): text is BuiltInRole {
  return Object.hasOwn(roleTable, text);
}

import { z } from 'zod';
import { roleNameSchema } from '../names.ts';
import { timestampSchema } from '../pages.ts';
import { isClientPermission, type Permission, permissions } from '../permissions.ts';
import { type QueryParameter, type PageParameters, pageParameters, text } from '../query-parameters.ts';
import { isReadableText } from '../readable-text.ts';

/** A role as the management API shows it. */
export interface Role {
  /** The name of a built-in role, `role_...` of an own one. */
  readonly roleId: string;
  /** What clients are given it by; once in an account, and never that of a built-in role. */
  readonly name: string;
  readonly isBuiltIn: boolean;
  readonly summary: string;
  /** Sorted. */
  readonly permissions: readonly Permission[];
  /** Only of own roles. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
}

/** The body of `POST /v1/roles`. */
export interface RoleRequest {
  readonly name: string;
  readonly summary?: string | undefined;
  readonly permissions: readonly Permission[];
}

/** The body of `PATCH /v1/roles/{roleId}` (RFC 7396): what is left out stays as it is. */
export type RoleChange = { readonly [Member in keyof RoleRequest]?: RoleRequest[Member] | undefined };

/** A permission as the management API shows it. */
export interface PermissionEntry {
  readonly name: Permission;
  readonly summary: string;
  /** Whether the caller holds it, and so may grant it. */
  readonly isHeld: boolean;
}

const object = {
  error: (issue: { code?: string | undefined }): string | undefined =>
    issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined,
};
const clientPermissions = Object.keys(permissions).filter(isClientPermission);
const permission = z.enum(clientPermissions as [Permission, ...Permission[]], {
  error: 'Write a permission that exists, as GET /v1/permissions lists them.',
});
const permissionList = z
  .array(permission, { error: 'Write the permissions as a list.' })
  .min(1, { error: 'Give at least one permission.' })
  .max(100, { error: 'Give each permission once.' });
const summaryAdvice =
  'Write a summary of at most 200 characters without control characters, or leave it out.';
const summary = z
  .string({ error: summaryAdvice })
  .refine((value) => isReadableText(value, 200), { error: summaryAdvice });

/** Checks the body of `POST /v1/roles`. */
export const roleRequestSchema: z.ZodType<RoleRequest> = z.strictObject(
  { name: roleNameSchema, summary: z.optional(summary), permissions: permissionList },
  object,
);

/** Checks the body of `PATCH /v1/roles/{roleId}`. */
export const roleChangeSchema: z.ZodType<RoleChange> = z.strictObject(
  {
    name: z.optional(roleNameSchema),
    summary: z.optional(summary),
    permissions: z.optional(permissionList),
  },
  object,
);

/** Describes a role in answers. */
export const roleSchema: z.ZodType<Role> = z.strictObject({
  roleId: z.string(),
  name: z.string(),
  isBuiltIn: z.boolean(),
  summary: z.string(),
  permissions: z.array(permission),
  createdAt: z.optional(timestampSchema),
  updatedAt: z.optional(timestampSchema),
});

/** Describes a permission in answers. */
export const permissionEntrySchema: z.ZodType<PermissionEntry> = z.strictObject({
  name: permission,
  summary: z.string(),
  isHeld: z.boolean(),
});

/** The query of `GET /v1/roles`. */
export interface RoleListParameters extends PageParameters {
  readonly accountId: QueryParameter<string>;
}

/** Pages of the list of roles. */
export const roleListParameters: RoleListParameters = {
  ...pageParameters,
  accountId: text(
    'accountId',
    64,
    "For the operator only: the roles of this account; the caller's own unless set",
  ),
};

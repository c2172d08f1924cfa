import { z } from 'zod';
import { canBeClientPermission, type Permission, permissionPattern } from '../permissions.ts';
import { isReadableText } from '../readable-text.ts';
import { body, page, roleName, type Shape, timestamp } from './parts.ts';
import { pageParameters, text } from './query-parameters.ts';

/** Marks schemas whose values are the permissions of the deployment. */
export const knownPermissionMark = 'x-known-permission';
const permissionAdvice = 'Write a permission that exists, as GET /v1/permissions lists them.';
/** A permission that the deployment knows. The OpenAPI document lists them. */
export const knownPermission = z
  .string({ error: permissionAdvice })
  .refine(canBeClientPermission, { error: permissionAdvice })
  .meta({ [knownPermissionMark]: true }) as z.ZodType<Permission>;
/** Stored permissions may be unknown: the deployment no longer has them. */
const storedPermission = z.string().regex(permissionPattern) as z.ZodType<string> as z.ZodType<Permission>;
const permissionList = z
  .array(knownPermission, { error: 'Write the permissions as a list.' })
  .min(1, { error: 'Give at least one permission.' })
  .max(100, { error: 'Give each permission once.' });
const nameText = 'What clients are given it by: lower-case letters, digits and single hyphens between them.';
const name = roleName.describe(nameText);
const summaryAdvice =
  'Write a summary of at most 200 characters without control characters, or leave it out.';
const summary = z
  .optional(
    z
      .string({ error: summaryAdvice })
      .refine((value) => isReadableText(value, 200), { error: summaryAdvice }),
  )
  .describe('For whom it is: at most 200 characters.');

const role = z
  .strictObject({
    roleId: z.string().describe('The name of a built-in role, the id of an own one.'),
    name: z.string().describe(nameText),
    isBuiltIn: z.boolean().describe('Whether every account has it, and nobody changes it.'),
    summary: z.string().describe('For whom it is.'),
    permissions: z.array(storedPermission).describe('What it permits, sorted.'),
    unknownPermissions: z
      .optional(z.array(storedPermission))
      .describe('Those of its permissions that this service does not know: they count for nothing.'),
    createdAt: z.optional(timestamp).describe('When it was made; only of own roles.'),
    updatedAt: z.optional(timestamp).describe('When it was last changed; only of own roles.'),
  })
  .describe('A named set of permissions that clients are given.');

const permissionEntry = z.strictObject({
  name: knownPermission.describe('Named `resource:action`.'),
  summary: z.string().describe('What it allows.'),
  isHeld: z.boolean().describe('Whether the caller holds it, and so may grant it.'),
});

export const roleSchemas = {
  Role: role,
  RolePage: page(role, 'A page of roles.', "The built-in roles first, then the account's own."),
  RoleRequest: body(
    {
      name,
      summary,
      permissions: permissionList.describe('What it permits: nothing that you do not hold yourself.'),
    },
    'The role to add.',
    { name: 'refunds', summary: 'Cancels payments', permissions: ['payments:write'] },
  ),
  RoleChange: body(
    {
      name: z.optional(name),
      summary,
      permissions: z
        .optional(permissionList)
        .describe('What it permits from now on: nothing new that you do not hold yourself.'),
    },
    'What to change of a role; what is left out stays as it is (RFC 7396).',
    { permissions: ['payments:read', 'payments:write'] },
  ),
  PermissionPage: page(permissionEntry, 'All permissions.', 'The permissions, sorted by name.'),
};

export const roleQueries = {
  RoleQuery: {
    ...pageParameters,
    accountId: text(
      'accountId',
      64,
      "For the operator only: the roles of this account; the caller's own unless set",
    ),
  },
};

export type Role = Shape<typeof role>;
export type RoleRequest = Shape<typeof roleSchemas.RoleRequest>;
export type RoleChange = Shape<typeof roleSchemas.RoleChange>;
export type PermissionEntry = Shape<typeof permissionEntry>;

import { z } from 'zod';
import { canBeMemberPermission, type Permission, permissionPattern } from '../permissions.ts';
import { isReadableText, plainPatterns } from '../readable-text.ts';
import { body, page, roleName, type Shape, timestamp } from './parts.ts';
import { oneOf, pageParameters, text } from './query-parameters.ts';

/** Marks schemas whose values are the permissions of the deployment. */
export const knownPermissionMark = 'x-known-permission';
const permissionAdvice = 'Write a permission that GET /v1/permissions lists.';
/** A permission that the deployment knows. The OpenAPI document lists them. */
export const knownPermission = z
  .string({ error: permissionAdvice })
  .refine(canBeMemberPermission, { error: permissionAdvice })
  .meta({ [knownPermissionMark]: true }) as z.ZodType<Permission>;
/** Stored permissions may be unknown, because the deployment no longer has them. */
const storedPermission = z.string().regex(permissionPattern) as z.ZodType<string> as z.ZodType<Permission>;
const permissionList = z
  .array(knownPermission, { error: 'Write the permissions as a list.' })
  .min(1, { error: 'Give at least one permission.' })
  .max(100, { error: 'Give each permission once.' });
const nameText = "The role's name: lower-case letters and digits, with single hyphens between them.";
const name = roleName.describe(nameText);
const summaryAdvice =
  'Write a summary of at most 200 characters without control characters, or leave it out.';
const summary = z
  .optional(
    z
      .string({ error: summaryAdvice })
      .refine((value) => isReadableText(value, 200), { error: summaryAdvice })
      .meta({ maxLength: 200, pattern: plainPatterns.line }),
  )
  .describe('Who it is for: at most 200 characters.');

const holdersAdvice = 'Write clients or members.';
const holders = z.enum(['clients', 'members'], { error: holdersAdvice });

const role = z
  .strictObject({
    roleId: z.string().describe("The name of a built-in role, or the ID of one of the account's own."),
    name: z.string().describe(nameText),
    isBuiltIn: z.boolean().describe('Whether it exists in every account and cannot be changed.'),
    summary: z.string().describe('Who it is for.'),
    holders: holders.describe('Who can have it: clients, or the people who are members of the account.'),
    permissions: z.array(storedPermission).describe('Its permissions, sorted.'),
    unknownPermissions: z
      .optional(z.array(storedPermission))
      .describe('Those of its permissions that this service does not know: they have no effect.'),
    createdAt: z.optional(timestamp).describe("When it was created; only for the account's own roles."),
    updatedAt: z.optional(timestamp).describe("When it was last changed; only for the account's own roles."),
  })
  .describe('A named set of permissions.');

const permissionEntry = z.strictObject({
  name: knownPermission.describe('Named `resource:action`.'),
  summary: z.string().describe('What it allows.'),
  isHeld: z.boolean().describe('Whether the caller has it, and so can grant it.'),
});

export const roleSchemas = {
  Role: role,
  RolePage: page(role, 'A page of roles.', "The built-in roles first, then the account's own."),
  RoleRequest: body(
    {
      name,
      summary,
      holders: z
        .optional(holders)
        .describe(
          'Who can have it: `clients`, the default, or `members`, which takes `members:write` as well. It cannot be changed later.',
        ),
      permissions: permissionList.describe('Its permissions: only ones that you have yourself.'),
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
        .describe('Its new permissions: additions only from those that you have yourself.'),
    },
    'The fields to change (JSON merge patch, RFC 7396).',
    { permissions: ['payments:read', 'payments:write'] },
  ),
  PermissionPage: page(permissionEntry, 'All permissions.', 'The permissions, sorted by name.'),
};

export const roleQueries = {
  RoleQuery: {
    ...pageParameters,
    accountId: text('accountId', 64, "Operator only: the roles of this account. Default: the caller's own"),
    holders: oneOf(
      'holders',
      ['clients', 'members'],
      "`clients` for the roles of clients, the default; `members` for the account's own roles of its members",
    ),
  },
  PermissionQuery: {
    holders: oneOf(
      'holders',
      ['clients', 'members'],
      'The permissions that the roles of `clients` can have, the default, or those of `members`',
    ),
  },
};

export type Role = Shape<typeof role>;
export type RoleRequest = Shape<typeof roleSchemas.RoleRequest>;
export type RoleChange = Shape<typeof roleSchemas.RoleChange>;
export type PermissionEntry = Shape<typeof permissionEntry>;

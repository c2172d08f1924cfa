import { z } from 'zod';
import { type MemberRole, memberRoles } from '../member-roles.ts';
import { timestampSchema } from '../pages.ts';

/** A person who belongs to an account, as the management API shows them. */
export interface Member {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
  /** Whether a password alone does not sign this person in. */
  readonly hasSecondFactor: boolean;
  readonly joinedAt: string;
  /** When the person last used the portal; some minutes late. */
  readonly lastSeenAt?: string | undefined;
}

/** The body of `PATCH /v1/members/{userId}`. */
export interface MemberChange {
  readonly role: MemberRole;
}

const object = {
  error: (issue: { code?: string | undefined }): string | undefined =>
    issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined,
};

/** A role of people; which of them an account has is decided where it is given. */
export const memberRoleSchema: z.ZodType<MemberRole> = z.enum(
  Object.keys(memberRoles) as [MemberRole, ...MemberRole[]],
  { error: 'Write a role that people can have in this account.' },
);

/** Checks the body of `PATCH /v1/members/{userId}`. */
export const memberChangeSchema: z.ZodType<MemberChange> = z.strictObject({ role: memberRoleSchema }, object);

/** Describes a member in answers. */
export const memberSchema: z.ZodType<Member> = z.strictObject({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  role: memberRoleSchema,
  hasSecondFactor: z.boolean(),
  joinedAt: timestampSchema,
  lastSeenAt: z.optional(timestampSchema),
});

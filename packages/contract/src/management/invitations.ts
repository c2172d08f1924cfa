import { z } from 'zod';
import type { MemberRole } from '../member-roles.ts';
import { timestampSchema } from '../pages.ts';
import { memberRoleSchema } from './members.ts';

/** How long an invitation can be accepted. */
export const invitationDays = 7;

/** An invitation that nobody has accepted yet, as the management API shows it. */
export interface Invitation {
  readonly invitationId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly invitedBy: { readonly userId: string; readonly name: string };
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Where it is accepted: only in the answers that make it, and only where no mail is sent. A secret. */
  readonly link?: string | undefined;
}

/** The body of `POST /v1/invitations`. */
export interface InvitationRequest {
  readonly email: string;
  readonly role: MemberRole;
}

const object = {
  error: (issue: { code?: string | undefined }): string | undefined =>
    issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined,
};
const emailAdvice = 'Write one email address, such as lee@example.com.';

/** Checks the body of `POST /v1/invitations`. */
export const invitationRequestSchema: z.ZodType<InvitationRequest> = z.strictObject(
  {
    email: z.email({ error: emailAdvice }).max(254, { error: emailAdvice }),
    role: memberRoleSchema,
  },
  object,
);

/** Describes an invitation in answers. */
export const invitationSchema: z.ZodType<Invitation> = z.strictObject({
  invitationId: z.string(),
  email: z.string(),
  role: memberRoleSchema,
  invitedBy: z.strictObject({ userId: z.string(), name: z.string() }),
  createdAt: timestampSchema,
  expiresAt: timestampSchema,
  link: z.optional(z.string()),
});

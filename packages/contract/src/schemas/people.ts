import { z } from 'zod';
import { type MemberRole, memberRoles } from '../member-roles.ts';
import { body, createdAt, keyAgeDaysMax, limited, name, page, type Shape, timestamp } from './parts.ts';

/** Any role of people. Which of them an account has is checked where the role is given. */
const role = z
  .enum(Object.keys(memberRoles) as [MemberRole, ...MemberRole[]], {
    error: 'Write a role that people can have in this account.',
  })
  .describe(
    "`owner`, `admin`, `developer` or `viewer`; in the operator's account `operator`, `account-manager` or `viewer`.",
  );
const emailAdvice = 'Write one email address, such as lee@example.com.';

const member = z
  .strictObject({
    userId: z.string().describe('The id of the person.'),
    name,
    email: z.string().describe('The address that the person signs in with.'),
    role,
    hasSecondFactor: z.boolean().describe('Whether a password alone does not sign this person in.'),
    joinedAt: timestamp.describe('Since when the person belongs to the account.'),
    lastSeenAt: z.optional(timestamp).describe('When the person last used the portal; some minutes late.'),
  })
  .describe('A person who belongs to an account.');

const invitation = z
  .strictObject({
    invitationId: z.string().describe('The id of the invitation.'),
    email: z.string().describe('Where it was sent to.'),
    role: role.describe('The role that the person will have.'),
    invitedBy: z
      .strictObject({
        userId: z.string().describe('The id of that person.'),
        name: z.string().describe('The name of that person.'),
      })
      .describe('Who sent it.'),
    createdAt,
    expiresAt: timestamp.describe('From then on it cannot be accepted; it can be sent again.'),
    link: z
      .optional(z.string())
      .describe(
        'Where it is accepted: only in the answers that make it, and only where no mail is sent. Whoever has it can join.',
      ),
  })
  .describe('An invitation that nobody has accepted yet.');

export const peopleSchemas = {
  Member: member,
  MemberPage: page(member, 'A page of members.', 'The members, those who joined first come first.'),
  MemberChange: body({ role }, 'The new role of a member.', { role: 'developer' }),

  Invitation: invitation,
  InvitationPage: page(invitation, 'A page of invitations.', 'The invitations, oldest first.'),
  InvitationRequest: body(
    {
      email: z
        .email({ error: emailAdvice })
        .max(254, { error: emailAdvice })
        .describe('Where the invitation is sent to.'),
      role,
    },
    'Whom to invite.',
    { email: 'lee@example.com', role: 'developer' },
  ),

  SecurityPolicy: z
    .strictObject({
      isSecondFactorRequired: z
        .boolean()
        .describe('Whether people need a second factor or a passkey to do anything in the account.'),
      sessionHoursMax: z
        .nullable(z.int())
        .describe('Sign people out after this many hours; null for no limit of its own.'),
      keyAgeDaysMax: z.nullable(z.int()).describe(keyAgeDaysMax.description ?? ''),
    })
    .describe('What an account demands of its people and keys.'),
  SecurityPolicyChange: body(
    {
      isSecondFactorRequired: z
        .optional(z.boolean({ error: 'Write true or false.' }))
        .describe('Only a member with a second factor can require one.'),
      sessionHoursMax: z
        .optional(z.nullable(limited(720, 'Write whole hours from 1 to 720, or null for no limit.')))
        .describe('Whole hours from 1 to 720, or null for no limit of its own.'),
      keyAgeDaysMax: z.optional(keyAgeDaysMax),
    },
    'What to change of the policy; what is left out stays as it is (RFC 7396).',
    { isSecondFactorRequired: true },
  ),
};

export type Member = Shape<typeof member>;
export type MemberChange = Shape<typeof peopleSchemas.MemberChange>;
export type Invitation = Shape<typeof invitation>;
export type InvitationRequest = Shape<typeof peopleSchemas.InvitationRequest>;
export type SecurityPolicy = Shape<typeof peopleSchemas.SecurityPolicy>;
export type SecurityPolicyChange = Shape<typeof peopleSchemas.SecurityPolicyChange>;

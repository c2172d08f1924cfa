import { z } from 'zod';
import { portalNetworkLimits } from '../limits.ts';
import { portalNetworkEntry } from './network-whitelist.ts';
import {
  body,
  createdAt,
  keyAgeDaysMax,
  limited,
  name,
  page,
  roleNamePattern,
  type Shape,
  timestamp,
} from './parts.ts';

const roleAdvice = 'Write a role that people can have in this account.';
/** The name of any role. Which of them people in an account can have is checked when the role is assigned. */
const role = z
  .string({ error: roleAdvice })
  .max(64, { error: roleAdvice })
  .regex(roleNamePattern, { error: roleAdvice })
  .describe(
    "`owner`, `admin`, `developer` or `viewer`; in the operator's account `operator`, `account-manager` or `viewer`; or one of the account's own roles for members.",
  );
const emailAdvice = 'Write one email address, such as lee@example.com.';

/** The email address of an invitation, in requests. */
export const invitedEmail = z.email({ error: emailAdvice }).max(254, { error: emailAdvice });

const member = z
  .strictObject({
    userId: z.string().describe("The person's ID."),
    name,
    email: z.string().describe('The email address that the person signs in with.'),
    role,
    hasSecondFactor: z.boolean().describe('Whether signing in takes more than a password.'),
    joinedAt: timestamp.describe('When the person joined the account.'),
    lastSeenAt: z
      .optional(timestamp)
      .describe('When the person last used the portal; updated with a delay of some minutes.'),
  })
  .describe('A member of the account.');

/** A pending invitation, in responses. */
export const invitation = z
  .strictObject({
    invitationId: z.string().describe("The invitation's ID."),
    email: z.string().describe('The email address it was sent to.'),
    role: role.describe('The role that the person will have.'),
    invitedBy: z
      .strictObject({
        userId: z.string().describe("That person's ID."),
        name: z.string().describe("That person's name."),
      })
      .describe('Who sent it.'),
    createdAt,
    expiresAt: timestamp.describe('When it expires. It can be resent.'),
    link: z
      .optional(z.string())
      .describe(
        'The link to accept it; only in the responses that create or resend it, and only if no email is sent. Anyone who has the link can join.',
      ),
    isLinkWithheld: z
      .optional(z.boolean())
      .describe(
        'True in these responses if no email is sent and nobody may see the link: the account requires a second person, which this role can be.',
      ),
  })
  .describe('A pending invitation.');

export const peopleSchemas = {
  Member: member,
  MemberPage: page(member, 'A page of members.', 'The members, in the order they joined.'),
  MemberChange: body({ role }, "The member's new role.", { role: 'developer' }),

  Invitation: invitation,
  InvitationPage: page(invitation, 'A page of invitations.', 'The invitations, oldest first.'),
  InvitationRequest: body(
    {
      email: invitedEmail.describe('The email address to invite.'),
      role,
    },
    'The person to invite.',
    { email: 'lee@example.com', role: 'developer' },
  ),

  SecurityPolicy: z
    .strictObject({
      isSecondFactorRequired: z
        .boolean()
        .describe('Whether people need a second factor or a passkey to use the account.'),
      sessionHoursMax: z
        .nullable(z.int())
        .describe("People are signed out after this many hours; null for the service's limit."),
      keyAgeDaysMax: z.nullable(z.int()).describe(keyAgeDaysMax.description ?? ''),
      portalNetworks: z
        .array(
          z.strictObject({
            entry: z.string().describe('An address or a network.'),
            label: z.string().describe('Its name.'),
          }),
        )
        .describe(
          'The networks from which the members may use the account, in the portal and with a session; empty for everywhere.',
        ),
      requestsKeptDays: z
        .nullable(z.int())
        .describe(
          "Requests and their explanations are removed after this many days; null for the service's limit. If the service's limit is shorter, it counts.",
        ),
      isSecondPersonRequired: z
        .boolean()
        .describe('Whether risky changes wait until a second person approves them.'),
    })
    .describe("An account's rules for its people and keys."),
  SecurityPolicyChange: body(
    {
      isSecondFactorRequired: z
        .optional(z.boolean({ error: 'Write true or false.' }))
        .describe(
          'Whether people need a second factor or a passkey to use the account. Only a member with a second factor can require it.',
        ),
      sessionHoursMax: z
        .optional(z.nullable(limited(720, 'Write whole hours from 1 to 720, or null for no limit.')))
        .describe("People are signed out after this many hours, 1 to 720; null for the service's limit."),
      keyAgeDaysMax: z.optional(keyAgeDaysMax),
      portalNetworks: z
        .optional(
          z
            .array(portalNetworkEntry, { error: 'Write the entries as a list.' })
            .max(portalNetworkLimits.entriesMax, { error: portalNetworkLimits.tooManyAdvice }),
        )
        .describe(
          'All networks from which the members may use the account: at most 200; empty for everywhere. A list of a member must contain the address that the request comes from.',
        ),
      requestsKeptDays: z
        .optional(
          z.nullable(
            limited(3650, "Write whole days from 1 to the service's limit, or null for the service's limit."),
          ),
        )
        .describe(
          "Requests and their explanations are removed after this many days: 1 to the service's limit; null for the service's limit.",
        ),
      isSecondPersonRequired: z
        .optional(z.boolean({ error: 'Write true or false.' }))
        .describe(
          'Whether risky changes wait until a second person approves them. Needs two people who can approve every change; switching it off waits, too.',
        ),
    },
    'The fields to change (JSON merge patch, RFC 7396).',
    { isSecondFactorRequired: true },
  ),
};

export type Member = Shape<typeof member>;
export type MemberChange = Shape<typeof peopleSchemas.MemberChange>;
export type Invitation = Shape<typeof invitation>;
export type InvitationRequest = Shape<typeof peopleSchemas.InvitationRequest>;
export type SecurityPolicy = Shape<typeof peopleSchemas.SecurityPolicy>;
export type SecurityPolicyChange = Shape<typeof peopleSchemas.SecurityPolicyChange>;

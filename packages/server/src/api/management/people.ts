import type { Invitation, Member, SecurityPolicy } from '@countersign/contract';
import { type Answer, ProblemError } from '@countersign/gate';
import {
  addInvitation,
  type InvitationRecord,
  listInvitations,
  removeInvitation,
  renewInvitation,
  type SentInvitation,
} from '../../people/members/invitations.ts';
import { changeMember, listMembers, type MemberRecord, removeMember } from '../../people/members/members.ts';
import { type PolicyRecord, readPolicy, updatePolicy } from '../../people/members/security-policies.ts';
import { bodyInvalid } from '../../request-bodies/request-body.ts';
import { personCaller } from '../caller.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { pageOf, placeOf } from '../page.ts';
import type { ApiParts } from '../parts.ts';
import { timestamp } from '../timestamp.ts';

export const peopleHandlers = defineHandlers((parts) => {
  const { database, change } = parts;
  return {
    /** Sorted by ID. */
    listMembers: async ({ query }, { caller: { accountId } }) => {
      const { limit, afterId } = placeOf(query, 'person');
      const members = await listMembers(database, { accountId, afterUserId: afterId, limit: limit + 1 });
      return { status: 200, body: pageOf(members, limit, ({ userId }) => userId, showMember) };
    },

    changeMember: ({ body: { role } }, request) =>
      change(request, async (transaction, context) => {
        const userId = userIdOf(request);
        await parts.people?.removeEndedSessionsOfPerson(transaction, userId, context.nowMs);
        return { status: 200, body: showMember(await changeMember(transaction, userId, role, context)) };
      }),

    /** Responds with the member as it was. */
    removeMember: (_input, request) =>
      change(request, async (transaction, context) => {
        const userId = userIdOf(request);
        await parts.people?.removeEndedSessionsOfPerson(transaction, userId, context.nowMs);
        return { status: 200, body: showMember(await removeMember(transaction, userId, context)) };
      }),

    listInvitations: async ({ query }, { caller: { accountId } }) => {
      const { limit, afterId } = placeOf(query, 'invitation');
      const filter = { accountId, afterInvitationId: afterId, limit: limit + 1 };
      const invitations = await listInvitations(database, filter);
      const body = pageOf(invitations, limit, ({ invitationId }) => invitationId, showInvitation);
      return { status: 200, body };
    },

    /** A retry with the same `Idempotency-Key` sends no second mail, and shows no link. */
    inviteMember: async ({ body: { email, role } }, request) => {
      const { token, hash } = peopleOf(parts).newInvitationToken();
      let made: SentInvitation | undefined;
      const answer = await change(request, async (transaction, context) => {
        const invitation = { email, role, tokenHash: hash };
        made = await addInvitation(transaction, invitation, context);
        const retryAfterSeconds = await peopleOf(parts).countInvitation(transaction, made, request.nowMs);
        // An error here also rolls back the invitation.
        if (retryAfterSeconds > 0) throw invitedTooOften(retryAfterSeconds);
        return { status: 201, body: showInvitation(made) };
      });
      // Mailed once it is committed. The response stored for retries contains no link, because a link is a
      // secret.
      return { ...answer, ...(made && { body: await sendInvitation(parts, request, made, token) }) };
    },

    resendInvitation: async (_input, request) => {
      const { token, hash } = peopleOf(parts).newInvitationToken();
      let renewed: SentInvitation | undefined;
      await change(request, async (transaction, context) => {
        renewed = await renewInvitation(transaction, invitationIdOf(request), hash, context);
        return { status: 200 };
      });
      return { status: 200, ...(renewed && { body: await sendInvitation(parts, request, renewed, token) }) };
    },

    /** Responds with the invitation as it was. */
    revokeInvitation: (_input, request) =>
      change(request, async (transaction, context) => ({
        status: 200,
        body: showInvitation(await removeInvitation(transaction, invitationIdOf(request), context)),
      })),

    getSecurityPolicy: async (_input, { caller }) =>
      policyAnswer(await readPolicy(database, caller.accountId)),

    updateSecurityPolicy: ({ body }, request) =>
      change(request, async (transaction, context) => {
        // Otherwise this change would lock out the person who requested it.
        if (body.isSecondFactorRequired === true && !personCaller(request).hasSecondFactor) {
          throw new ProblemError('second_factor_required', {
            members: { reason: 'only a member with a second factor can require one of others' },
          });
        }
        checkKeptDays(body.requestsKeptDays, parts.requestsKeptDays);
        return policyAnswer(await updatePolicy(transaction, body, context));
      }),
  };
});

function userIdOf(request: ApiRequest): string {
  return idInPath(request, 'userId', 'person');
}

function invitationIdOf(request: ApiRequest): string {
  return idInPath(request, 'invitationId', 'invitation');
}

export function invitedTooOften(retryAfterSeconds: number): ProblemError {
  const reason = 'this address was invited too often';
  return new ProblemError('too_many_attempts', { members: { reason, retryAfterSeconds } });
}

/** Sends an invitation once it is committed. Returns it as shown to whoever sent it, with its link if it could not be mailed. */
export async function sendInvitation(
  parts: ApiParts,
  request: ApiRequest,
  invitation: SentInvitation,
  token: string,
): Promise<Invitation> {
  const { invitationId, email, accountName, roleName: role, expiresAtMs } = invitation;
  const { name: inviterName, userId: inviterId } = personCaller(request).person;
  const mail = { invitationId, email, accountName, inviterName, inviterId, role, token, expiresAtMs };
  const { link, isMailed } = await peopleOf(parts).invite(mail);
  const shown = showInvitation(invitation);
  if (isMailed) return shown;
  // Whoever sees the link can accept it, and would then be the second person of their own changes.
  if (invitation.isGuarded) return { ...shown, isLinkWithheld: true };
  return { ...shown, link };
}

/** Returns the part that invites people. */
export function peopleOf({ people }: ApiParts): NonNullable<ApiParts['people']> {
  if (people === undefined)
    throw new Error('There is no portal, so no one can be signed in to invite members.');
  return people;
}

export function showInvitation(record: InvitationRecord): Invitation {
  const { invitationId, email, roleName: role, invitedBy, createdAtMs, expiresAtMs } = record;
  return {
    invitationId,
    email,
    role,
    invitedBy,
    createdAt: timestamp(createdAtMs),
    expiresAt: timestamp(expiresAtMs),
  };
}

function showMember(record: MemberRecord): Member {
  const { userId, name, email, roleName: role, hasSecondFactor, joinedAtMs, lastSeenAtMs } = record;
  return {
    userId,
    name,
    email,
    role,
    hasSecondFactor,
    joinedAt: timestamp(joinedAtMs),
    ...(lastSeenAtMs !== undefined && { lastSeenAt: timestamp(lastSeenAtMs) }),
  };
}

/** An account can keep its requests for less long than the service, not for longer. */
function checkKeptDays(days: number | null | undefined, daysMax: number): void {
  if (days === undefined || days === null || daysMax === 0 || days <= daysMax) return;
  const detail = `The service keeps requests for ${daysMax} days: write fewer days, or null for as long as the service.`;
  throw bodyInvalid([{ pointer: '/requestsKeptDays', detail }]);
}

function policyAnswer(record: PolicyRecord): Answer<SecurityPolicy> {
  const { isSecondFactorRequired, isSecondPersonRequired, portalNetworks, version } = record;
  const { sessionHoursMax = null, keyAgeDaysMax = null, requestsKeptDays = null } = record;
  const body = {
    isSecondFactorRequired,
    sessionHoursMax,
    keyAgeDaysMax,
    portalNetworks,
    requestsKeptDays,
    isSecondPersonRequired,
  };
  return { status: 200, headers: { ETag: entityTag(version) }, body };
}

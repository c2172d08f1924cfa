import { type Invitation, invitationRequestSchema, isId, type Page } from '@countersign/contract';
import { newToken, tokenHash } from '../../identity/identity.ts';
import {
  addInvitation,
  type InvitationRecord,
  listInvitations as readInvitations,
  removeInvitation,
  renewInvitation,
} from '../../registry/store.ts';
import { readPage, writeCursor } from '../page.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import { personCaller } from '../caller.ts';
import type { ApiRequest, Handler } from '../handler.ts';
import { ProblemError } from '@countersign/gate';
import { changeContext } from './caller-scope.ts';
import { timestamp } from './key-view.ts';
import { readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/invitations`: oldest first. */
export function listInvitations({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const { limit, afterId } = readPage(request.query, 'invitation');
    const { accountId } = request.caller;
    const filter = { accountId, afterInvitationId: afterId, limit: limit + 1 };
    const records = await readInvitations(database, filter);
    const page = records.slice(0, limit);
    const last = records.length > limit ? page.at(-1) : undefined;
    const body: Page<Invitation> = {
      data: page.map(showInvitation),
      nextCursor: last === undefined ? null : writeCursor(last.invitationId),
    };
    return { status: 200, body };
  };
}

/** `POST /v1/invitations`: a repetition with the same `Idempotency-Key` sends no second mail, and tells no link. */
export function inviteMember(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const { email, role } = readManagementBody(request, invitationRequestSchema);
    const context = changeContext(request, parts);
    const token = newToken();
    let made: InvitationRecord | undefined;
    const answer = await parts.idempotency.run(request, async (transaction) => {
      const invitation = { email, role, tokenHash: tokenHash(token) };
      made = await addInvitation(transaction, invitation, context);
      const retryAfterSeconds = await peopleOf(parts).countInvitation(transaction, made, request.nowMs);
      // What is refused here is not made.
      if (retryAfterSeconds > 0) throw invitedTooOften(retryAfterSeconds);
      return { status: 201, body: showInvitation(made) };
    });
    // Mailed when it is committed. What is kept for repetitions holds no link, for that is a secret.
    return made === undefined ? answer : { ...answer, body: await send(parts, request, made, token) };
  };
}

/** `POST /v1/invitations/{invitationId}/resend` */
export function resendInvitation(parts: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const context = changeContext(request, parts);
    const token = newToken();
    const invitationId = invitationIdOf(request);
    const invitation = await renewInvitation(parts.database, invitationId, tokenHash(token), context);
    return { status: 200, body: await send(parts, request, invitation, token) };
  };
}

/** `DELETE /v1/invitations/{invitationId}`: answers with the invitation as it was. */
export function revokeInvitation(parts: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const context = changeContext(request, parts);
    const invitation = await removeInvitation(parts.database, invitationIdOf(request), context);
    return { status: 200, body: showInvitation(invitation) };
  };
}

function invitedTooOften(retryAfterSeconds: number): ProblemError {
  const reason = 'this address was invited too often';
  return new ProblemError('too_many_attempts', { members: { reason, retryAfterSeconds } });
}

async function send(
  parts: ManagementParts,
  request: ApiRequest,
  invitation: InvitationRecord,
  token: string,
): Promise<Invitation> {
  const { invitationId, email, accountName, role, expiresAtMs } = invitation;
  const inviterName = personCaller(request).person.name;
  const mail = { invitationId, email, accountName, inviterName, role, token, expiresAtMs };
  const { link, isMailed } = await peopleOf(parts).invite(mail);
  return { ...showInvitation(invitation), ...(!isMailed && { link }) };
}

function peopleOf({ people }: ManagementParts): NonNullable<ManagementParts['people']> {
  if (people === undefined)
    throw new Error('Where there is no portal nobody is signed in to invite anybody.');
  return people;
}

function invitationIdOf({ parameters }: ApiRequest): string {
  const invitationId = parameters['invitationId'] ?? '';
  if (!isId('invitation', invitationId)) throw new ProblemError('not_found');
  return invitationId;
}

function showInvitation(record: InvitationRecord): Invitation {
  const { invitationId, email, role, invitedBy, createdAtMs, expiresAtMs } = record;
  return {
    invitationId,
    email,
    role,
    invitedBy,
    createdAt: timestamp(createdAtMs),
    expiresAt: timestamp(expiresAtMs),
  };
}

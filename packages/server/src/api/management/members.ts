import { isId, type Member, memberChangeSchema, type Page } from '@countersign/contract';
import {
  changeMember as writeMember,
  listMembers as readMembers,
  type MemberRecord,
  removeMember as deleteMember,
} from '../../registry/store.ts';
import { readPage, writeCursor } from '../page.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import type { ApiRequest, Handler } from '../handler.ts';
import { ProblemError } from '@countersign/gate';
import { changeContext } from './caller-scope.ts';
import { timestamp } from './key-view.ts';
import { readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/members`: in the order of their ids. */
export function listMembers({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const { limit, afterId } = readPage(request.query, 'person');
    const { accountId } = request.caller;
    const records = await readMembers(database, { accountId, afterUserId: afterId, limit: limit + 1 });
    const page = records.slice(0, limit);
    const last = records.length > limit ? page.at(-1) : undefined;
    const body: Page<Member> = {
      data: page.map(showMember),
      nextCursor: last === undefined ? null : writeCursor(last.userId),
    };
    return { status: 200, body };
  };
}

/** `PATCH /v1/members/{userId}` */
export function changeMember(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const { role } = readManagementBody(request, memberChangeSchema);
    const context = changeContext(request, parts);
    const member = await writeMember(parts.database, userIdOf(request), role, context);
    return { status: 200, body: showMember(member) };
  };
}

/** `DELETE /v1/members/{userId}`: answers with the member as it was. */
export function removeMember(parts: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const context = changeContext(request, parts);
    const member = await deleteMember(parts.database, userIdOf(request), context);
    return { status: 200, body: showMember(member) };
  };
}

function userIdOf({ parameters }: ApiRequest): string {
  const userId = parameters['userId'] ?? '';
  if (!isId('person', userId)) throw new ProblemError('not_found');
  return userId;
}

function showMember(record: MemberRecord): Member {
  const { userId, name, email, role, hasSecondFactor, joinedAtMs, lastSeenAtMs } = record;
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

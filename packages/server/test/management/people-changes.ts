import type { AuditEvent } from '@countersign/contract';
import { testPasswordCost } from '@countersign/testing/running-service';
import { addMember } from '../../src/people/identity/members.ts';
import { PasswordHasher } from '../../src/people/identity/passwords.ts';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { addPendingChange, decidePendingChange } from '../../src/registry/store/pending-changes.ts';
import { endActing, startActing } from '../../src/people/members/acting.ts';
import type { ChangeContext } from '../../src/registry/store/context.ts';
import { addInvitation, listInvitations, removeInvitation } from '../../src/people/members/invitations.ts';
import { changeMember, removeMember } from '../../src/people/members/members.ts';
import { updatePolicy } from '../../src/people/members/security-policies.ts';
import {
  addSavedView,
  listSavedViews,
  removeSavedView,
  updateSavedView,
} from '../../src/registry/store/saved-views.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { addPerson, type Person } from './persons.ts';

/** The people who make a change, and the person whom it affects. */
export interface ChangingPeople {
  readonly database: Database;
  readonly owner: Person;
  readonly viewer: Person;
  /** Of the operator's account. */
  readonly operator: Person;
}

/** What no audit event may tell. */
export const peopleSecrets = { password: 'quiet marble 84 lantern', tokenHash: 'hash-of-a-token' } as const;

/** Makes an owner and a viewer of an account, and an operator. */
export async function addChangingPeople(
  database: Database,
  accountId: string,
  context: ChangeContext,
): Promise<ChangingPeople> {
  const { nowMs } = context;
  const operating = await addAccount(database, { name: 'Operator', isOperator: true }, context);
  return {
    database,
    owner: await addPerson(database, { accountId, role: 'owner', nowMs }),
    viewer: await addPerson(database, { accountId, role: 'viewer', nowMs }),
    operator: await addPerson(database, { accountId: operating.accountId, role: 'operator', nowMs }),
  };
}

/** The context of what a person asks for in a session. */
export function askedBy(person: Person, { nowMs }: ChangeContext): ChangeContext {
  const { userId, name, sessionId, accountId } = person;
  return {
    nowMs,
    actor: { kind: 'person', id: userId, name },
    caller: { kind: 'person', userId, sessionId, accountId, address: undefined, isPermitted: () => true },
  };
}

type PeopleChange = (on: ChangingPeople, context: ChangeContext) => Promise<unknown>;

/** How each action of people comes about, one by one in this order. */
export const peopleChanges: readonly (readonly [AuditEvent['action'], PeopleChange])[] = [
  [
    'member.invited',
    ({ database, owner }, at) => {
      const { tokenHash } = peopleSecrets;
      const invitation = { email: 'ann@example.com', role: 'viewer', tokenHash } as const;
      return addInvitation(database, invitation, askedBy(owner, at));
    },
  ],
  [
    'invitation.revoked',
    async ({ database, owner }, at) => {
      const [invitation] = await listInvitations(database, { accountId: owner.accountId, limit: 1 });
      return removeInvitation(database, invitation!.invitationId, askedBy(owner, at));
    },
  ],
  [
    'member.joined',
    ({ database, owner: { accountId } }, { nowMs }) => {
      const { password } = peopleSecrets;
      const person = { name: 'Ann Example', email: 'ann@example.com', password } as const;
      return addMember(
        database,
        new PasswordHasher(testPasswordCost),
        { ...person, accountId, role: 'viewer' },
        nowMs,
      );
    },
  ],
  [
    'member.role_changed',
    ({ database, owner, viewer }, at) =>
      changeMember(database, viewer.userId, 'developer', askedBy(owner, at)),
  ],
  [
    'pending_change.requested',
    ({ database, owner }, at) => {
      const { accountId } = owner;
      const request = { operation: 'revokeClient', parameters: {}, body: undefined, ifMatch: '*' } as const;
      const change = { accountId, target: { type: 'client', id: 'client_1', name: 'Shop' } } as const;
      return addPendingChange(database, request, change, askedBy(owner, at));
    },
  ],
  ['pending_change.approved', (on, at) => decide(on, 'approved', on.viewer, at)],
  ['pending_change.rejected', (on, at) => decide(on, 'rejected', on.viewer, at)],
  ['pending_change.failed', (on, at) => decide(on, 'failed', on.viewer, at)],
  ['pending_change.withdrawn', (on, at) => decide(on, 'withdrawn', on.owner, at)],
  [
    'member.removed',
    ({ database, owner, viewer }, at) => removeMember(database, viewer.userId, askedBy(owner, at)),
  ],
  [
    'policy.updated',
    ({ database, owner }, at) => {
      const policy = { isSecondFactorRequired: true, sessionHoursMax: 8, keyAgeDaysMax: 900 };
      return updatePolicy(database, policy, askedBy(owner, at));
    },
  ],
  [
    'saved_view.shared',
    ({ database, owner }, at) => {
      const view = { name: 'Rejected', query: 'outcome=refused', isShared: true };
      return addSavedView(database, view, askedBy(owner, at));
    },
  ],
  [
    'saved_view.updated',
    async ({ database, owner }, at) => {
      const [view] = await listSavedViews(database, owner);
      return updateSavedView(database, view!.savedViewId, { name: 'Failed' }, askedBy(owner, at));
    },
  ],
  [
    'saved_view.unshared',
    async ({ database, owner }, at) => {
      const [view] = await listSavedViews(database, owner);
      return removeSavedView(database, view!.savedViewId, askedBy(owner, at));
    },
  ],
  [
    'acting.started',
    ({ database, owner: { accountId }, operator }, at) => {
      const asked = { accountId, reason: 'Ticket 17' };
      return startActing(database, asked, operator.sessionId, askedBy(operator, at));
    },
  ],
  [
    'acting.ended',
    ({ database, operator }, at) => endActing(database, operator.sessionId, askedBy(operator, at)),
  ],
];

/** The owner ends the pending change, as if that person had asked for it and nobody had decided it before. */
async function decide(
  { database, owner }: ChangingPeople,
  status: Parameters<typeof decidePendingChange>[1]['status'],
  { userId, name }: Person,
  context: ChangeContext,
): Promise<unknown> {
  const { pending_change_id: pendingChangeId } = await waitAgain(database);
  // Nothing but a test changes who asked.
  await database
    .updateTable('pending_changes')
    .set({ requester: JSON.stringify({ userId, name }) } as never)
    .execute();
  return decidePendingChange(database, { pendingChangeId, status }, askedBy(owner, context));
}

/** Lets the pending change wait, as if nobody had decided it. */
export async function waitAgain(database: Database): Promise<{ readonly pending_change_id: string }> {
  return database
    .updateTable('pending_changes')
    .set({ status: 'waiting' })
    .returning('pending_change_id')
    .executeTakeFirstOrThrow();
}

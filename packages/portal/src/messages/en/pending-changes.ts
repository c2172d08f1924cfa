import { pageTitles } from './page-titles.ts';

/** Names what a pending change would do, from what it would change. */
interface Asked {
  readonly name: string;
  readonly role: string;
  readonly email: string;
  readonly newName: string;
}

export const pendingChanges = {
  title: pageTitles.pendingChanges,
  description: 'Changes that need the approval of a second person. They expire after seven days.',
  list: 'Changes, newest first',
  show: 'Show',
  shows: { waiting: 'Waiting', all: 'All of the last 90 days' },
  noneTitle: 'Nothing is waiting',
  noneText: 'Changes that need a second person appear here.',
  asked: {
    addClient: ({ newName }: Asked): string => `Add the client ${newName}`,
    updateClient: ({ name }: Asked): string => `Give ${name} more permissions`,
    revokeClient: ({ name }: Asked): string => `Revoke ${name} and all its keys`,
    addNetworkEntry: ({ name }: Asked): string => `Open the network whitelist of ${name}`,
    replaceNetworkWhitelist: ({ name }: Asked): string => `Open the network whitelist of ${name}`,
    retireKey: ({ name }: Asked): string => `End a key of ${name}`,
    revokeKey: ({ name }: Asked): string => `Revoke a key of ${name}`,
    updateRole: ({ name }: Asked): string => `Let the role ${name} grant more`,
    changeMember: ({ name, role }: Asked): string => `Give ${name} the role ${role}`,
    inviteMember: ({ email, role }: Asked): string => `Invite ${email} as ${role}`,
    updateSecurityPolicy: (): string => 'Turn off approval by a second person',
  } as Readonly<Record<string, (asked: Asked) => string>>,
  other: (operation: string, { name }: Asked): string => `${operation}: ${name}`,
  requestedBy: (name: string): string => `Requested by ${name}`,
  actingFor: (reason: string): string => `acting for this account: “${reason}”`,
  expires: 'Expires',
  statuses: {
    waiting: 'Waiting',
    approved: 'Approved',
    rejected: 'Rejected',
    withdrawn: 'Withdrawn',
    expired: 'Expired',
    failed: 'Failed',
  },
  decidedBy: (name: string): string => `by ${name}`,
  reason: 'Reason',
  approve: 'Approve',
  reject: 'Reject',
  withdraw: 'Withdraw',
  own: 'You asked for this. Someone else must approve it.',
  notYours: 'Your role can’t decide this change.',
  approveTitle: 'Approve this change?',
  approveText:
    'The change is made at once, in the name of the person who asked for it. The audit log shows both names.',
  rejectTitle: 'Reject this change?',
  rejectText: 'The person who asked for it can read your reason.',
  reasonMissing: 'Enter a reason.',
  withdrawTitle: 'Withdraw this change?',
  withdrawText: 'Nobody can approve it any more. You can ask for it again.',
  approved: 'The change was approved and made',
  rejected: 'The change was rejected',
  withdrawn: 'The change was withdrawn',
  states: {
    active: 'active',
    disabled: 'disabled',
    revoked: 'revoked',
    pending: 'not used yet',
    retiring: 'retiring',
    expired: 'expired',
  },
  members: {
    name: 'name',
    roles: 'roles',
    role: 'role',
    email: 'email',
    entries: 'network whitelist',
    status: 'status',
    permissions: 'permissions',
    endsAt: 'expires',
    reason: 'reason',
    keysEnded: 'keys that end',
  },
} as const;

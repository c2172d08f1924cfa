/** Every action in the audit log. */
export const auditActions = [
  'client.added',
  'client.updated',
  'client.disabled',
  'client.enabled',
  'client.revoked',
  'client.restored',
  'client.directory_refreshed',
  'client.archived',
  'client.expired',
  'clients.changed',
  'clients.imported',
  'network.added',
  'network.removed',
  'network.replaced',
  'key.added',
  'key.activated',
  'key.retiring',
  'key.extended',
  'key.expired',
  'key.revoked',
  'role.added',
  'role.updated',
  'role.removed',
  'account.added',
  'account.updated',
  'account.suspended',
  'account.resumed',
  'account.closed',
  'member.invited',
  'invitation.revoked',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'policy.updated',
  'pending_change.requested',
  'pending_change.approved',
  'pending_change.rejected',
  'pending_change.withdrawn',
  'pending_change.expired',
  'pending_change.failed',
  'demo_data.removed',
  'acting.started',
  'acting.ended',
  'webhook.added',
  'webhook.updated',
  'webhook.removed',
  'webhook.paused',
  'webhook.resumed',
  'webhook.disabled',
  'webhook.secret_rotated',
  'alert_rule.added',
  'alert_rule.updated',
  'alert_rule.removed',
  'saved_view.shared',
  'saved_view.updated',
  'saved_view.unshared',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Kinds of changes, by the thing that was changed. */
export const auditFamilies = [
  'client',
  'network',
  'key',
  'role',
  'member',
  'policy',
  'pending_change',
  'account',
  'acting',
  'webhook',
  'alert_rule',
  'saved_view',
] as const;

export type AuditFamily = (typeof auditFamilies)[number];

/**
 * Returns the kind of thing that an action changes: the word before its dot, except that an invitation counts
 * as a member, for example.
 */
export function auditFamilyOf(action: AuditAction): AuditFamily {
  const word = action.slice(0, action.indexOf('.'));
  return families.get(word) ?? (word as AuditFamily);
}

const families: ReadonlyMap<string, AuditFamily> = new Map([
  ['invitation', 'member'],
  ['clients', 'client'],
  ['demo_data', 'account'],
  ['clients', 'client'],
]);

/** Returns the actions that match a filter: one, or all of a family. */
export function auditActionsOf(filter: AuditAction | AuditFamily): readonly AuditAction[] {
  return auditActions.filter((action) => action === filter || auditFamilyOf(action) === filter);
}

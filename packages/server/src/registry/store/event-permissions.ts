import {
  type OwnPermission,
  type Permission,
  permissionsForEvents,
  webhookEventTypes,
} from '@countersign/contract';

/** What decides who may read an event. */
export interface EventOrigin {
  readonly type: string;
  /** The account that it happened in. */
  readonly accountId: string;
}

/**
 * Returns the permissions to read events that a webhook of an account gets: of each type, and of other accounts. A type
 * from a later version needs those of all types.
 */
export function permissionsToRead(
  events: readonly EventOrigin[],
  webhookAccountId: string,
): readonly OwnPermission[] {
  const isKnown = events.every(({ type }) => Object.hasOwn(webhookEventTypes, type));
  const isOwn = events.every(({ accountId }) => accountId === webhookAccountId);
  return [
    ...permissionsForEvents(isKnown ? events.map(({ type }) => type) : null),
    ...(isOwn ? [] : (['accounts:read'] as const)),
  ];
}

/** Returns the permissions to read an event that someone does not have. */
export function missingToRead(
  event: EventOrigin,
  webhookAccountId: string,
  held: ReadonlySet<Permission>,
): readonly OwnPermission[] {
  return permissionsToRead([event], webhookAccountId).filter((permission) => !held.has(permission));
}

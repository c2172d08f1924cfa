import type { ProfileEntry } from '@countersign/contract';

/** A profile to choose. */
export interface ProfileOption extends ProfileEntry {
  /** False for a profile that the client has, but that this service does not accept. */
  readonly isAccepted: boolean;
}

/**
 * Returns the profiles to choose from: those that the service accepts, and those that are in use, so that the form never
 * shows another one than the client has.
 */
export function profileOptions(
  accepted: readonly ProfileEntry[],
  inUse: readonly (string | undefined)[],
): readonly ProfileOption[] {
  const names = new Set(inUse.filter((name) => name !== undefined));
  for (const { name } of accepted) names.delete(name);
  return [
    ...accepted.map((profile) => ({ ...profile, isAccepted: true })),
    ...[...names].map((name) => ({
      name,
      title: name,
      algorithms: [],
      binds: [],
      leavesOpen: [],
      parameters: [],
      notes: [],
      isAccepted: false,
    })),
  ];
}

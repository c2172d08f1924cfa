import type { Permission, Role } from '@countersign/contract';

/** A role while it is written. */
export interface RoleDraft {
  readonly name: string;
  readonly summary: string;
  /** Sorted. */
  readonly permissions: readonly Permission[];
}

/** A role as it can be changed. */
export function draftOf({ name, summary, permissions }: Role): RoleDraft {
  return { name, summary, permissions: permissions.toSorted() };
}

/** The same with a permission, or without it. */
export function withPermission(draft: RoleDraft, permission: Permission, isGranted: boolean): RoleDraft {
  const others = draft.permissions.filter((name) => name !== permission);
  return { ...draft, permissions: (isGranted ? [...others, permission] : others).toSorted() };
}

/** Whether two say the same. */
export function isSameDraft(one: RoleDraft, other: RoleDraft): boolean {
  return (
    one.name.trim() === other.name.trim() &&
    one.summary.trim() === other.summary.trim() &&
    one.permissions.join() === other.permissions.join()
  );
}

import type { Permission, Role } from '@countersign/contract';

export interface RoleDraft {
  readonly name: string;
  readonly summary: string;
  /** Sorted. */
  readonly permissions: readonly Permission[];
}

export function draftOf({ name, summary, permissions }: Role): RoleDraft {
  return { name, summary, permissions: permissions.toSorted() };
}

export function isSameDraft(one: RoleDraft, other: RoleDraft): boolean {
  return (
    one.name.trim() === other.name.trim() &&
    one.summary.trim() === other.summary.trim() &&
    one.permissions.join() === other.permissions.join()
  );
}

import type { MemberRole } from '@countersign/contract';

/** Returns a member role's name as people read it: the built-in ones in their language, an account's own as it is named. */
export function memberRoleName(names: Readonly<Record<MemberRole, string>>, role: string): string {
  return Object.hasOwn(names, role) ? names[role as MemberRole] : role;
}

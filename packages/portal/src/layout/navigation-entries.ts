import type { SignedInAccount } from '@countersign/contract';
import {
  Activity,
  Building2,
  ChartNoAxesColumn,
  FileClock,
  HeartPulse,
  KeyRound,
  type LucideIcon,
  ScanSearch,
  ShieldCheck,
  Tags,
  Users,
} from 'lucide-react';
import type { Messages } from '../messages/messages.ts';

/** One link of the navigation. */
export interface NavigationEntry {
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** Links that belong together; the first group has no name. */
export interface NavigationGroup {
  readonly label: string | undefined;
  readonly entries: readonly NavigationEntry[];
}

/** What the navigation holds for an account; what the person may not read is left out. */
export function navigationOf(account: SignedInAccount, t: Messages['layout']): readonly NavigationGroup[] {
  const may = (permission: SignedInAccount['permissions'][number]): boolean =>
    account.permissions.includes(permission);
  const groups: NavigationGroup[] = [
    {
      label: undefined,
      entries: [{ path: '/', label: t.overview, icon: ChartNoAxesColumn }],
    },
    {
      label: t.integrations,
      entries: may('clients:read')
        ? [{ path: '/integrations/api-keys', label: t.apiKeys, icon: KeyRound }]
        : [],
    },
    {
      label: t.logs,
      entries: [
        ...(may('requests:read') ? [{ path: '/logs/requests', label: t.requests, icon: Activity }] : []),
        ...(may('keys:read')
          ? [{ path: '/logs/debugger', label: t.signatureDebugger, icon: ScanSearch }]
          : []),
      ],
    },
    {
      label: t.settings,
      entries: [
        ...(may('members:read') ? [{ path: '/settings/team', label: t.team, icon: Users }] : []),
        ...(may('roles:read') ? [{ path: '/settings/roles', label: t.roles, icon: Tags }] : []),
        ...(may('members:read')
          ? [{ path: '/settings/security', label: t.securityPolicies, icon: ShieldCheck }]
          : []),
        ...(may('audit:read') ? [{ path: '/settings/audit-log', label: t.auditLog, icon: FileClock }] : []),
      ],
    },
    {
      label: t.operator,
      entries:
        account.isOperator && may('accounts:read')
          ? [
              { path: '/operator/accounts', label: t.accounts, icon: Building2 },
              { path: '/operator/health', label: t.health, icon: HeartPulse },
            ]
          : [],
    },
  ];
  return groups.filter(({ entries }) => entries.length > 0);
}

/** Whether a link of the navigation leads to where the page is, or to what it is a part of. */
export function isWithin(path: string, entryPath: string): boolean {
  return path === entryPath || (entryPath !== '/' && path.startsWith(`${entryPath}/`));
}

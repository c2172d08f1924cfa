import type { AuditAction } from '@countersign/contract';
import {
  Building2,
  Clock,
  KeyRound,
  type LucideIcon,
  Network,
  PlugZap,
  Shield,
  ShieldCheck,
  ShieldX,
  UserCog,
  UserRound,
} from 'lucide-react';
import type { ReactElement } from 'react';
import classes from './audit.module.css';

const icons: Readonly<Record<string, LucideIcon>> = {
  client: PlugZap,
  network: Network,
  key: KeyRound,
  role: Shield,
  account: Building2,
  member: UserRound,
  invitation: UserRound,
  policy: ShieldCheck,
  acting: UserCog,
};
const icon: Readonly<Partial<Record<AuditAction, LucideIcon>>> = {
  'client.revoked': ShieldX,
  'key.revoked': ShieldX,
  'key.retiring': Clock,
  'key.expired': Clock,
};
const ended: ReadonlySet<AuditAction> = new Set<AuditAction>([
  'client.revoked',
  'client.disabled',
  'key.revoked',
]);

/** The mark before an audit event: what kind of thing it is about; the words say all of it. */
export function AuditIcon({ action }: { readonly action: AuditAction }): ReactElement {
  const Icon = icon[action] ?? icons[action.split('.', 1)[0] ?? ''] ?? Shield;
  return (
    <span className={classes.icon} data-tone={ended.has(action) ? 'danger' : 'neutral'} aria-hidden="true">
      <Icon size={14} />
    </span>
  );
}

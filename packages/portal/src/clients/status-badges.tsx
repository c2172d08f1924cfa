import type { ClientStatus, KeyStatus } from '@countersign/contract';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { useMessages } from '../messages/messages.ts';

const clientTones = { active: 'success', disabled: 'warning', revoked: 'danger' } as const;
const keyTones = {
  pending: 'info',
  active: 'success',
  retiring: 'warning',
  expired: 'neutral',
  revoked: 'danger',
} as const;

export function ClientStatusBadge({ status }: { readonly status: ClientStatus }): ReactElement {
  const t = useMessages('client');
  return <StatusBadge tone={clientTones[status]}>{t.statuses[status]}</StatusBadge>;
}

export function KeyStatusBadge({ status }: { readonly status: KeyStatus }): ReactElement {
  const t = useMessages('client');
  return <StatusBadge tone={keyTones[status]}>{t.keys.statuses[status]}</StatusBadge>;
}

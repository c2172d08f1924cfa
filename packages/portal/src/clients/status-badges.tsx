import type { ClientStatus, KeyStatus } from '@countersign/contract';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { client as t } from '../messages/en/client.ts';

const clientTones = { active: 'success', disabled: 'warning', revoked: 'danger' } as const;
const keyTones = {
  pending: 'info',
  active: 'success',
  retiring: 'warning',
  expired: 'neutral',
  revoked: 'danger',
} as const;

export function ClientStatusBadge({ status }: { readonly status: ClientStatus }): ReactElement {
  return <StatusBadge tone={clientTones[status]}>{t.statuses[status]}</StatusBadge>;
}

export function KeyStatusBadge({ status }: { readonly status: KeyStatus }): ReactElement {
  return <StatusBadge tone={keyTones[status]}>{t.keys.statuses[status]}</StatusBadge>;
}

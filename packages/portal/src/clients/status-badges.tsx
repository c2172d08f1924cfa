import type { Client, KeyStatus } from '@countersign/contract';
import type { ReactElement } from 'react';
import { StatusBadge } from '../components/notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { client as t } from '#messages/client.ts';

const clientTones = { active: 'success', disabled: 'warning', revoked: 'danger' } as const;
const keyTones = {
  pending: 'info',
  active: 'success',
  retiring: 'warning',
  expired: 'neutral',
  revoked: 'danger',
} as const;

/** The status, or the reason why an active client cannot be used. */
export function ClientStatusBadge({
  client,
}: {
  readonly client: Pick<Client, 'status' | 'keys'>;
}): ReactElement {
  const { status, keys } = client;
  if (status === 'active' && !keys.some(canVerify))
    return <StatusBadge tone="warning">{t.withoutKey}</StatusBadge>;
  return <StatusBadge tone={clientTones[status]}>{t.statuses[status]}</StatusBadge>;
}

/** Says that a client is temporary, and when it expires. */
export function TemporaryBadge({ expiresAt }: { readonly expiresAt: string }): ReactElement {
  return (
    <StatusBadge tone="info">
      {t.temporary} <RelativeTime at={expiresAt} />
    </StatusBadge>
  );
}

export function KeyStatusBadge({ status }: { readonly status: KeyStatus }): ReactElement {
  return <StatusBadge tone={keyTones[status]}>{t.keys.statuses[status]}</StatusBadge>;
}

/** Returns true if a key verifies requests, or will. */
function canVerify({ status }: Client['keys'][number]): boolean {
  return status !== 'expired' && status !== 'revoked';
}

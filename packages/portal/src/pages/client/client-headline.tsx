import type { Client } from '@countersign/contract';
import type { ReactElement } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './client.module.css';
import { ClientStatusBadge } from './status-badges.tsx';

/** Below the name of a client: its state, and the clientId to copy. */
export function ClientHeadline({ client }: { readonly client: Client }): ReactElement {
  const t = useMessages('client');
  return (
    <div className={classes['headline']}>
      <ClientStatusBadge status={client.status} />
      <CopyableText value={client.clientId} label={t.clientId} />
    </div>
  );
}

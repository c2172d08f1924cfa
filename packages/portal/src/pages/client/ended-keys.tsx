import type { Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './client.module.css';

/** The keys that no longer work, the latest first. */
export function EndedKeys({ keys }: { readonly keys: readonly Key[] }): ReactElement {
  const t = useMessages('client').keys;
  const time = (at: string | undefined): ReactElement | string =>
    at === undefined ? t.notYet : <RelativeTime at={at} />;
  const columns: readonly DataColumn<Key>[] = [
    {
      id: 'fingerprint',
      header: t.fingerprint,
      cell: ({ fingerprint }) => <code className={classes['wrap']}>{fingerprint}</code>,
    },
    {
      id: 'why',
      header: t.ended,
      cell: ({ status, revocationReason }) =>
        status === 'revoked' ? t.endedReasons[revocationReason ?? 'unspecified'] : t.endedNormally,
    },
    { id: 'when', header: t.endedWhen, cell: ({ revokedAt, endsAt }) => time(revokedAt ?? endsAt) },
    { id: 'lastUse', header: t.lastUse, cell: ({ lastUsedAt }) => time(lastUsedAt) },
  ];
  return <DataTable label={t.endedTitle} columns={columns} rows={keys} rowKey={({ keyId }) => keyId} />;
}

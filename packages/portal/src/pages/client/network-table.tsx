import type { WhitelistEntry } from '@countersign/contract';
import { ActionIcon, Tooltip } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './client.module.css';
import { isEveryone } from './entry-width.ts';
import { useClientChange } from '../../clients/use-client-change.ts';

interface NetworkTableProps {
  readonly clientId: string;
  readonly entries: readonly WhitelistEntry[];
  readonly entityTag: string | undefined;
  readonly mayChange: boolean;
}

/** The entries of a whitelist, each with a button that removes it; the last one stays. */
export function NetworkTable({ clientId, entries, entityTag, mayChange }: NetworkTableProps): ReactElement {
  const t = useMessages('client').network;
  const [leaving, setLeaving] = useState<WhitelistEntry>();
  const change = useClientChange();
  const columns = useColumns(mayChange, entries.length === 1, setLeaving);
  const remove = (entry: string): Promise<void> =>
    change(
      () => api.call('removeNetworkEntry', { path: { clientId, entry }, ifMatch: entityTag }),
      t.removed(entry),
    );
  return (
    <>
      <DataTable label={t.title} columns={columns} rows={entries} rowKey={({ entry }) => entry} />
      {leaving && (
        <ConfirmDialog
          opened
          onClose={() => setLeaving(undefined)}
          title={t.removeTitle(leaving.entry)}
          confirmLabel={t.removeConfirm}
          isDangerous
          onConfirm={() => remove(leaving.entry)}
        >
          <p>{t.removeText}</p>
          {leaving.lastSeenAt !== undefined && (
            <p>
              {t.removeLast} <RelativeTime at={leaving.lastSeenAt} />.
            </p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

function useColumns(
  mayChange: boolean,
  isLast: boolean,
  onRemove: (entry: WhitelistEntry) => void,
): readonly DataColumn<WhitelistEntry>[] {
  const t = useMessages('client').network;
  const columns: DataColumn<WhitelistEntry>[] = [
    {
      id: 'entry',
      header: t.entry,
      isRowHeader: true,
      cell: ({ entry }) => (
        <>
          <code>{entry}</code> {isEveryone(entry) && <StatusBadge tone="warning">{t.everyone}</StatusBadge>}
        </>
      ),
    },
    {
      id: 'label',
      header: t.label,
      cell: ({ label }) => (label === '' ? '–' : <bdi className={classes['label']}>{label}</bdi>),
    },
    {
      id: 'lastSeen',
      header: t.lastSeen,
      cell: ({ lastSeenAt }) => (lastSeenAt === undefined ? t.never : <RelativeTime at={lastSeenAt} />),
    },
    { id: 'added', header: t.added, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  ];
  if (!mayChange) return columns;
  return [
    ...columns,
    {
      id: 'remove',
      header: t.removeConfirm,
      isHeaderHidden: true,
      align: 'right',
      cell: (entry) => (
        <Tooltip label={isLast ? t.lastEntry : t.remove(entry.entry)} multiline maw={260}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.remove(entry.entry)}
            aria-disabled={isLast || undefined}
            {...(isLast && { 'data-disabled': true })}
            onClick={() => !isLast && onRemove(entry)}
          >
            <Trash2 size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ];
}

import type { ProfileSession } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { auth } from '../../api/auth.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { profile as t } from '#messages/profile.ts';
import { deviceName } from './device-name.ts';
import classes from './profile.module.css';
import { useProfileRefresh } from './use-profile.ts';

interface SessionsSectionProps {
  readonly sessions: readonly ProfileSession[];
}

export function SessionsSection({ sessions }: SessionsSectionProps): ReactElement {
  const refresh = useProfileRefresh();
  const [isEnding, setIsEnding] = useState(false);
  const end = async (sessionId: string): Promise<void> => {
    try {
      await auth.endSession(sessionId);
      await refresh();
      notify.success(t.sessionEnded);
    } catch (error) {
      notify.error(error);
    }
  };
  return (
    <Section
      title={t.sessionsTitle}
      description={t.sessionsText}
      actions={
        sessions.length > 1 && (
          <Button variant="default" size="xs" onClick={() => setIsEnding(true)}>
            {t.sessionEndOthers}
          </Button>
        )
      }
      isFlush
      isPlain
    >
      <DataTable
        label={t.sessionsTitle}
        columns={columnsOf((sessionId) => void end(sessionId))}
        rows={sessions.toSorted((left, right) => Number(right.isCurrent) - Number(left.isCurrent))}
        rowKey={({ sessionId }) => sessionId}
      />
      <ConfirmDialog
        opened={isEnding}
        onClose={() => setIsEnding(false)}
        title={t.sessionEndOthersTitle}
        confirmLabel={t.sessionEndOthers}
        onConfirm={async () => {
          await auth.endOtherSessions();
          await refresh();
          notify.success(t.sessionsEnded);
        }}
      >
        {t.sessionEndOthersText}
      </ConfirmDialog>
    </Section>
  );
}

function columnsOf(onEnd: (sessionId: string) => void): readonly DataColumn<ProfileSession>[] {
  return [
    {
      id: 'device',
      header: t.sessionDevice,
      cell: ({ userAgent, isCurrent }) => (
        <span className={classes['name']}>
          {deviceName(userAgent, t)}
          {isCurrent && <StatusBadge tone="success">{t.sessionCurrent}</StatusBadge>}
        </span>
      ),
    },
    {
      id: 'address',
      header: t.sessionAddress,
      cell: ({ sourceAddress }) => (sourceAddress === undefined ? '–' : <code>{sourceAddress}</code>),
    },
    { id: 'started', header: t.sessionStarted, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { id: 'seen', header: t.sessionSeen, cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} /> },
    {
      id: 'actions',
      header: t.actions,
      isHeaderHidden: true,
      align: 'right',
      cell: ({ sessionId, isCurrent, userAgent }) =>
        !isCurrent && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={t.sessionEndLabel(deviceName(userAgent, t))}
            onClick={() => onEnd(sessionId)}
          >
            {t.sessionEnd}
          </Button>
        ),
    },
  ];
}

import type { PendingChange, PendingChangeStatus } from '@countersign/contract';
import { Button, Group, TextInput } from '@mantine/core';
import { type ReactElement, useId, useState } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { ChangeTable } from '../../audit/change-table.tsx';
import { changedMembers } from '../../audit/changed-members.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { StatusBadge, type Tone } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { auditEvents as words } from '#messages/audit-events.ts';
import { auditLog } from '#messages/audit-log.ts';
import { pendingChanges as t } from '#messages/pending-changes.ts';
import classes from './pending-changes.module.css';

const tones: Readonly<Record<PendingChangeStatus, Tone>> = {
  waiting: 'info',
  approved: 'success',
  rejected: 'danger',
  withdrawn: 'neutral',
  expired: 'neutral',
  failed: 'warning',
};

/** A change with its values before and after, and what the person can do about it. */
export function PendingChangeItem({ change }: { readonly change: PendingChange }): ReactElement {
  const id = useId();
  const { requestedBy, requestedAt, expiresAt, status, decidedBy, decidedAt, reason } = change;
  const shown = { before: shownValues(change.before), after: shownValues(change.after) };
  const members = changedMembers(shown, { ...words.changes.members, ...t.members }, auditLog);
  return (
    <li className={classes['change']} aria-labelledby={id}>
      <div className={classes['head']}>
        <h3 id={id} className={classes['title']}>
          <bdi>{titleOf(change)}</bdi>
        </h3>
        <StatusBadge tone={tones[status]}>{t.statuses[status]}</StatusBadge>
      </div>
      <div className={classes['facts']}>
        <span>
          <bdi>{t.requestedBy(requestedBy.name)}</bdi>
          {requestedBy.actingReason !== undefined && <>, {t.actingFor(requestedBy.actingReason)}</>}
          {' · '}
          <RelativeTime at={requestedAt} />
        </span>
        {status === 'waiting' ? (
          <span>
            {t.expires} <RelativeTime at={expiresAt} />
          </span>
        ) : (
          decidedAt !== undefined && (
            <span>
              {t.statuses[status]} {decidedBy && <bdi>{t.decidedBy(decidedBy.name)}</bdi>}{' '}
              <RelativeTime at={decidedAt} />
            </span>
          )
        )}
      </div>
      {reason !== undefined && (
        <p className={classes['reason']}>
          {t.reason}: <bdi>{reason}</bdi>
        </p>
      )}
      {members.length > 0 && <ChangeTable members={members} />}
      {status === 'waiting' && <Decisions change={change} titleId={id} />}
    </li>
  );
}

/** Shows whitelist entries and states as people write them. */
function shownValues(values: PendingChange['before'] = {}): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(entryText) : state(value),
    ]),
  );
}

function entryText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('entry' in value)) return value;
  const { entry, label } = value as { readonly entry: unknown; readonly label?: unknown };
  return typeof label === 'string' && label !== '' ? `${String(entry)} (${label})` : entry;
}

function state(value: unknown): unknown {
  return typeof value === 'string' && Object.hasOwn(t.states, value)
    ? t.states[value as keyof typeof t.states]
    : value;
}

function titleOf({ operation, target, after = {} }: PendingChange): string {
  const textOf = (name: string): string => {
    const value = after[name];
    return typeof value === 'string' ? value : '?';
  };
  const asked = {
    name: target.name,
    role: textOf('role'),
    email: textOf('email'),
    newName: textOf('name'),
  };
  return t.asked[operation]?.(asked) ?? t.other(operation, asked);
}

type Decision = 'approve' | 'reject' | 'withdraw';

function Decisions({
  change: { pendingChangeId, isOwn, mayDecide },
  titleId,
}: {
  readonly change: PendingChange;
  readonly titleId: string;
}): ReactElement {
  const [opened, setOpened] = useState<Decision>();
  const close = (): void => setOpened(undefined);
  const path = { pendingChangeId };
  return (
    <>
      {!mayDecide && <p className={classes['hint']}>{isOwn ? t.own : t.notYours}</p>}
      <Group gap="sm">
        {mayDecide && (
          <>
            <Button size="xs" aria-describedby={titleId} onClick={() => setOpened('approve')}>
              {t.approve}
            </Button>
            <Button
              size="xs"
              variant="default"
              aria-describedby={titleId}
              onClick={() => setOpened('reject')}
            >
              {t.reject}
            </Button>
          </>
        )}
        {isOwn && (
          <Button
            size="xs"
            variant="default"
            aria-describedby={titleId}
            onClick={() => setOpened('withdraw')}
          >
            {t.withdraw}
          </Button>
        )}
      </Group>
      <ApproveDialog path={path} opened={opened === 'approve'} onClose={close} />
      <RejectDialog path={path} opened={opened === 'reject'} onClose={close} />
      <WithdrawDialog path={path} opened={opened === 'withdraw'} onClose={close} />
    </>
  );
}

interface DecisionDialogProps {
  readonly path: { readonly pendingChangeId: string };
  readonly opened: boolean;
  readonly onClose: () => void;
}

function ApproveDialog({ path, opened, onClose }: DecisionDialogProps): ReactElement {
  const approve = useApiMutation('approvePendingChange');
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t.approveTitle}
      confirmLabel={t.approve}
      onConfirm={async () => {
        await approve.mutateAsync({ path });
        notify.success(t.approved);
      }}
    >
      {t.approveText}
    </ConfirmDialog>
  );
}

function RejectDialog({ path, opened, onClose }: DecisionDialogProps): ReactElement {
  const reject = useApiMutation('rejectPendingChange');
  const [reason, setReason] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t.rejectTitle}
      confirmLabel={t.reject}
      onCheck={() => {
        setIsMissing(reason.trim() === '');
        return reason.trim() !== '';
      }}
      onConfirm={async () => {
        await reject.mutateAsync({ path, body: { reason: reason.trim() } });
        notify.success(t.rejected);
      }}
    >
      <p className={classes['hint']}>{t.rejectText}</p>
      <TextInput
        label={t.reason}
        value={reason}
        maxLength={500}
        error={isMissing ? t.reasonMissing : undefined}
        onChange={(event) => setReason(event.currentTarget.value)}
        data-autofocus
      />
    </ConfirmDialog>
  );
}

function WithdrawDialog({ path, opened, onClose }: DecisionDialogProps): ReactElement {
  const withdraw = useApiMutation('withdrawPendingChange');
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t.withdrawTitle}
      confirmLabel={t.withdraw}
      onConfirm={async () => {
        await withdraw.mutateAsync({ path });
        notify.success(t.withdrawn);
      }}
    >
      {t.withdrawText}
    </ConfirmDialog>
  );
}

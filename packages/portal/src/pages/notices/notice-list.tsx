import type { Notice, NoticeKind } from '@countersign/contract';
import { Anchor, Button } from '@mantine/core';
import {
  Bell,
  Cable,
  Gauge,
  KeyRound,
  ListChecks,
  type LucideIcon,
  Network,
  ShieldCheck,
  TriangleAlert,
  Users,
  Webhook,
} from 'lucide-react';
import { type ReactElement, type ReactNode, useId, useMemo } from 'react';
import { Link } from 'wouter';
import { useApiMutation } from '../../api/queries.ts';
import { alertRulesPath } from '../../alerts/alert-rules-path.ts';
import { AuditSentence } from '../../audit/audit-timeline.tsx';
import { clientPath } from '../../clients/client-path.ts';
import { StatusBadge } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { alertWords } from '#messages/alert-words.ts';
import { notices as t } from '#messages/notices.ts';
import classes from './notices.module.css';

/** Lists notices with links to their subjects. Following a link marks its notice as read. */
export function NoticeList({ notices }: { readonly notices: readonly Notice[] }): ReactElement {
  return (
    <ol className={classes['list']} aria-label={t.list}>
      {notices.map((notice) => (
        <NoticeItem key={notice.noticeId} notice={notice} />
      ))}
    </ol>
  );
}

const icons: Readonly<Record<NoticeKind, LucideIcon>> = {
  key_due: KeyRound,
  first_failure: TriangleAlert,
  alert: Bell,
  refused_address: Network,
  rate_limited: Gauge,
  webhook_failing: Webhook,
  stream_stalled: Cable,
  change_waiting: ListChecks,
  team_changed: Users,
  policy_changed: ShieldCheck,
};

function NoticeItem({ notice }: { readonly notice: Notice }): ReactElement {
  const read = useApiMutation('readNotice');
  const id = useId();
  const markRead = (): void => {
    if (notice.isRead) return;
    read.mutate({ path: { noticeId: notice.noticeId } }, { onError: (error) => notify.error(error) });
  };
  const Icon = icons[notice.kind];
  const link = linkOf(notice);
  return (
    <li className={classes['notice']} data-unread={!notice.isRead || undefined}>
      <span className={classes['icon']} aria-hidden>
        <Icon size={16} />
      </span>
      <div className={classes['words']}>
        <div id={id} className={classes['title']}>
          <Sentence notice={notice} />
        </div>
        <Detail notice={notice} />
        <div className={classes['foot']}>
          {!notice.isRead && <StatusBadge tone="info">{t.unread}</StatusBadge>}
          <RelativeTime at={notice.lastHappenedAt} />
          {link && (
            <Anchor component={Link} href={link.to} inherit aria-describedby={id} onClick={markRead}>
              {link.label}
            </Anchor>
          )}
        </div>
      </div>
      {!notice.isRead && (
        <Button
          size="compact-sm"
          variant="subtle"
          loading={read.isPending}
          aria-describedby={id}
          onClick={markRead}
        >
          {t.markRead}
        </Button>
      )}
    </li>
  );
}

function Sentence({ notice }: { readonly notice: Notice }): ReactElement {
  const { kind, client, key, count, event, webhook, stream, alert } = notice;
  const names = useMemo(
    () => ({ clientName: (clientId: string) => (client?.clientId === clientId ? client.name : undefined) }),
    [client],
  );
  if (kind === 'team_changed' || kind === 'policy_changed' || kind === 'change_waiting') {
    if (event === undefined) return <>{t.change}</>;
    return (
      <>
        <AuditSentence event={event} names={names} />
        {count > 1 && <> {t.moreChanges(count - 1)}</>}
      </>
    );
  }
  return (
    <>
      {client && (
        <>
          <bdi>{client.name}</bdi>:{' '}
        </>
      )}
      {kind === 'key_due' && t.keys[key?.stage ?? 'rotation_due']}
      {kind === 'first_failure' && t.failures(count)}
      {kind === 'refused_address' && t.addresses(count)}
      {kind === 'rate_limited' && t.limited(count)}
      {kind === 'webhook_failing' && t.webhookFailing[webhook?.stage ?? 'one_day']}
      {kind === 'stream_stalled' && t.streamStalled(stream?.stream ?? '')}
      {alert && alertWords.found(alert)}
    </>
  );
}

function Detail({
  notice: { kind, key, failure, webhook, stream, alert, rateLimit, recoveredAt, sourceAddresses = [] },
}: {
  readonly notice: Notice;
}): ReactNode {
  if (key) {
    return (
      <div className={classes['detail']}>
        {t.keyDue(absoluteTime(key.dueAt))} · <code>{key.fingerprint}</code>
      </div>
    );
  }
  if (kind === 'refused_address')
    return <div className={classes['detail']}>{sourceAddresses.join(', ')}</div>;
  if (rateLimit) {
    const { requestsPerMinuteMax, requestsBurstMax } = rateLimit;
    if (requestsPerMinuteMax === null) return null;
    return <div className={classes['detail']}>{t.limit(requestsPerMinuteMax, requestsBurstMax)}</div>;
  }
  if (webhook) {
    return (
      <div className={classes['detail']}>
        <code>{webhook.url}</code>
      </div>
    );
  }
  if (stream) {
    const { source, since, problem } = stream;
    return (
      <div className={classes['detail']}>
        {t.streamSince(source, absoluteTime(since))} {problem}{' '}
        {recoveredAt === undefined ? t.streamAdvice : t.streamRecovered(absoluteTime(recoveredAt))}
      </div>
    );
  }
  if (alert) {
    const { name, firedAt, resolvedAt } = alert;
    const [since, end] = [absoluteTime(firedAt), resolvedAt && absoluteTime(resolvedAt)];
    return (
      <div className={classes['detail']}>
        <bdi>{name}</bdi> · {end === undefined ? t.alertAt(since) : t.alertEnded(since, end)}
      </div>
    );
  }
  if (!failure) return null;
  return (
    <div className={classes['detail']}>
      <code>{failure.outcome}</code>
      {failure.sourceAddress !== '' && <> {t.from(failure.sourceAddress)}</>}
      {!failure.isProved && <> · {t.unproved}</>}
      {recoveredAt !== undefined && <> · {t.recovered(absoluteTime(recoveredAt))}</>}
    </div>
  );
}

function linkOf(notice: Notice): { readonly to: string; readonly label: string } | undefined {
  const { kind, client, failure, event } = notice;
  if (kind === 'key_due' && client)
    return { to: clientPath(client.clientId, '?tab=keys'), label: t.open.keys };
  if (kind === 'refused_address' && client)
    return { to: clientPath(client.clientId, '?tab=network'), label: t.open.network };
  if ((kind === 'first_failure' || kind === 'rate_limited') && failure)
    return { to: `/logs/requests?request=${encodeURIComponent(failure.requestId)}`, label: t.open.request };
  if (kind === 'alert') return { to: alertRulesPath, label: t.open.rules };
  if (kind === 'change_waiting') return { to: '/settings/pending-changes', label: t.open.pending };
  if (event === undefined) return undefined;
  const query = new URLSearchParams({
    action: event.action,
    ...(event.actor.kind === 'person' && { actor: event.actor.id }),
  });
  return { to: `/settings/audit-log?${query}`, label: t.open.audit };
}

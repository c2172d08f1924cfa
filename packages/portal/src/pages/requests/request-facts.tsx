import type { RequestEntry } from '@countersign/contract';
import type { ReactElement, ReactNode } from 'react';
import { useClientNames } from '../../clients/use-client-names.ts';
import { CopyableText } from '../../components/copyable-text.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './request-detail.module.css';

/** What was kept of a request. */
export function RequestFacts({ entry }: { readonly entry: RequestEntry }): ReactElement {
  const t = useMessages('requests');
  const clientName = useClientNames();
  const { clientId, isProved, keyFingerprint, clockDifferenceSeconds, durationMs, sourceAddress } = entry;
  return (
    <dl className={classes['facts']}>
      <Fact label={t.receivedAt}>
        {absoluteTime(entry.receivedAt)}
        <span className={classes['aside']}>
          <RelativeTime at={entry.receivedAt} />
        </span>
      </Fact>
      <Fact label={t.clientNamed}>
        {clientName(clientId) !== undefined && <bdi className={classes['name']}>{clientName(clientId)}</bdi>}
        <CopyableText value={clientId} label="clientId" />
        {!isProved && <StatusBadge tone="neutral">{t.notProved}</StatusBadge>}
      </Fact>
      <Fact label={t.sourceAddress}>
        <CopyableText value={sourceAddress} label={t.sourceAddress} />
      </Fact>
      {keyFingerprint !== undefined && (
        <Fact label={t.key}>
          <CopyableText value={keyFingerprint} label={t.key} />
        </Fact>
      )}
      {clockDifferenceSeconds !== undefined && (
        <Fact label={t.clock}>{clockText(clockDifferenceSeconds, t)}</Fact>
      )}
      <Fact label={t.status}>
        {entry.status}
        {durationMs !== undefined && <span className={classes['aside']}>{t.durationMs(durationMs)}</span>}
      </Fact>
      <Fact label={t.requestId}>
        <CopyableText value={entry.requestId} label={t.requestId} />
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

function clockText(seconds: number, t: ReturnType<typeof useMessages<'requests'>>): string {
  if (seconds === 0) return t.clockRight;
  return seconds > 0 ? t.clockAhead(seconds) : t.clockBehind(seconds);
}

import type { Key } from '@countersign/contract';
import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { dayOf, shortTime } from '../../components/time-words.ts';
import { useMessages } from '../../messages/messages.ts';
import type { TrafficShare } from '../rotate/traffic-share.ts';
import type { ClientView } from './client-view.ts';
import classes from './client.module.css';
import { Countdown } from './countdown.tsx';
import { type Fact, Facts } from './facts.tsx';
import { KeyActions } from './key-actions.tsx';
import { formatShare, ShareBar } from './share-bar.tsx';
import { KeyStatusBadge } from './status-badges.tsx';

/** A key that verifies: where it stands, what it is, and how much of the traffic it signs. */
export function KeyCard({
  keyShown: key,
  view,
  traffic,
}: {
  readonly keyShown: Key;
  readonly view: ClientView;
  /** Undefined while it is not known. */
  readonly traffic: TrafficShare | undefined;
}): ReactElement {
  const t = useMessages('client').keys;
  return (
    <article className={classes.keyCard} aria-label={key.fingerprint} data-status={key.status}>
      <header className={classes.keyHead}>
        <KeyStatusBadge status={key.status} />
        {key.endsAt !== undefined && (
          <span className={classes.keyEnd}>
            {t.endsIn} <Countdown to={key.endsAt} />
          </span>
        )}
        <KeyActions keyShown={key} view={view} />
      </header>
      <div className={classes.fingerprint}>
        <CopyableText value={key.fingerprint} label={t.fingerprint} />
      </div>
      <Facts items={useKeyFacts(key)} isNarrow />
      {key.replacesKeyId !== undefined && key.status === 'pending' && (
        <Text size="sm" c="dimmed">
          <Overlap seconds={key.overlapSeconds ?? 0} />
        </Text>
      )}
      <Traffic traffic={traffic} />
    </article>
  );
}

function useKeyFacts(key: Key): readonly Fact[] {
  const t = useMessages('client').keys;
  const time = (at: string | undefined): Fact['value'] =>
    at === undefined ? <span className={classes.dimmed}>{t.notYet}</span> : <RelativeTime at={at} />;
  return [
    { label: t.size, value: t.bits(key.modulusBits) },
    { label: t.added, value: time(key.createdAt) },
    { label: t.firstUse, value: time(key.firstUsedAt) },
    { label: t.lastUse, value: time(key.lastUsedAt) },
    ...(key.startsAt === undefined ? [] : [{ label: t.starts, value: time(key.startsAt) }]),
    ...(key.endsAt === undefined ? [] : [{ label: t.ends, value: shortTime(key.endsAt) }]),
    ...(key.rotationDueAt === undefined ? [] : [{ label: t.rotation, value: dayOf(key.rotationDueAt) }]),
  ];
}

function Overlap({ seconds }: { readonly seconds: number }): ReactElement {
  const { keys: t, retire } = useMessages('client');
  if (seconds === 0) return <>{t.replacesAtOnce}</>;
  const hours = Math.max(1, Math.round(seconds / 3600));
  return <>{t.replacesText(retire.span(hours))}</>;
}

function Traffic({ traffic }: { readonly traffic: TrafficShare | undefined }): ReactElement {
  const t = useMessages('client').keys;
  const share = traffic?.share ?? 0;
  const words =
    traffic === undefined || traffic.share === undefined
      ? t.noTraffic
      : t.shareOf(formatShare(traffic.share), traffic.requests);
  return (
    <div className={classes.traffic}>
      <div className={classes.trafficWords}>
        <span>{t.share}</span>
        <span className="tabular">{words}</span>
      </div>
      <ShareBar share={share} />
    </div>
  );
}

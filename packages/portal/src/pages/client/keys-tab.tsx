import type { Key } from '@countersign/contract';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { CalendarClock, CalendarPlus, EllipsisVertical, KeyRound, ShieldX } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { shortFingerprint } from '../../audit/audit-facts.ts';
import { clientPath } from '../../clients/client-path.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { KeyStatusBadge } from '../../clients/status-badges.tsx';
import { LinkButton } from '../../components/app-link.tsx';
import { CopyableText } from '../../components/copyable-text.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { dayOf, shortTime } from '../../components/time-words.ts';
import { Countdown } from '../../keys/countdown.tsx';
import { ExtendKeyDialog, RetireKeyDialog, RevokeKeyDialog } from '../../keys/key-dialogs.tsx';
import { isUsable } from '../../keys/rotation-state.ts';
import { formatShare, ShareBar } from '../../keys/share-bar.tsx';
import { type TrafficShare, trafficShares } from '../../keys/traffic-share.ts';
import { client as clientWords } from '#messages/client.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './client.module.css';
import { DirectorySection } from './directory-section.tsx';

export function KeysTab({ view }: { readonly view: ClientView }): ReactElement {
  const t = clientWords.keys;
  const { client, keys } = view;
  const query = useApiQuery(
    'getRequestStatistics',
    { query: { clientId: client.clientId, by: 'key', interval: 'hour' } },
    { enabled: usePermission('requests:read') },
  );
  const shares = query.data && trafficShares(query.data);
  const usable = keys.filter(isUsable);
  const ended = keys.filter((key) => !isUsable(key)).toReversed();
  return (
    <div className={classes['stack']}>
      <DirectorySection client={client} />
      <Section title={t.title} description={t.description} actions={<KeysActions view={view} />}>
        {usable.length === 0 ? (
          <EmptyState icon={KeyRound} title={t.none}>
            {t.noneText}
          </EmptyState>
        ) : (
          <div className={classes['cards']}>
            {usable.map((key) => (
              <KeyCard key={key.keyId} keyShown={key} view={view} traffic={shares?.get(key.keyId)} />
            ))}
          </div>
        )}
      </Section>
      {ended.length > 0 && (
        <Section title={t.endedTitle} isFlush isPlain>
          <EndedKeys keys={ended} />
        </Section>
      )}
    </div>
  );
}

function KeysActions({ view: { client, keys } }: { readonly view: ClientView }): ReactElement | null {
  const t = clientWords.keys;
  const mayWrite = usePermission('keys:write');
  if (!mayWrite || client.status === 'revoked' || client.directory !== null) return null;
  const hasKey = keys.some(isUsable);
  return (
    <>
      {hasKey && (
        <LinkButton to={clientPath(client.clientId, '/rotate?way=compromised')} variant="default" size="xs">
          {t.compromised}
        </LinkButton>
      )}
      {!hasKey && (
        <LinkButton to={clientPath(client.clientId, '/rotate')} size="xs">
          {t.add}
        </LinkButton>
      )}
    </>
  );
}

interface KeyCardProps {
  readonly keyShown: Key;
  readonly view: ClientView;
  /** Undefined until known. */
  readonly traffic: TrafficShare | undefined;
}

function KeyCard({ keyShown: key, view, traffic }: KeyCardProps): ReactElement {
  const t = clientWords.keys;
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
      <Facts items={useKeyFacts(key)} width="narrow" />
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
  const t = clientWords.keys;
  const time = (at: string | undefined): Fact['value'] =>
    at === undefined ? <span className={classes.dimmed}>{t.notYet}</span> : <RelativeTime at={at} />;
  return [
    { label: t.size, value: t.kind(key) },
    { label: t.added, value: time(key.createdAt) },
    { label: t.firstUse, value: time(key.firstUsedAt) },
    { label: t.lastUse, value: time(key.lastUsedAt) },
    ...(key.startsAt === undefined ? [] : [{ label: t.starts, value: time(key.startsAt) }]),
    ...(key.endsAt === undefined ? [] : [{ label: t.ends, value: shortTime(key.endsAt) }]),
    ...(key.rotationDueAt === undefined ? [] : [{ label: t.rotation, value: dayOf(key.rotationDueAt) }]),
  ];
}

function Overlap({ seconds }: { readonly seconds: number }): ReactElement {
  const { keys: t, retire } = clientWords;
  if (seconds === 0) return <>{t.replacesAtOnce}</>;
  const hours = Math.max(1, Math.round(seconds / 3600));
  return <>{t.replacesText(retire.span(hours))}</>;
}

function Traffic({ traffic }: { readonly traffic: TrafficShare | undefined }): ReactElement {
  const t = clientWords.keys;
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

type Act = 'retire' | 'extend' | 'revoke';

interface KeyActionsProps {
  readonly keyShown: Key;
  readonly view: ClientView;
}

function KeyActions({ keyShown: key, view }: KeyActionsProps): ReactElement | null {
  const t = clientWords.keys;
  const [act, setAct] = useState<Act>();
  const dialog = { keyShown: key, view, onClose: () => setAct(undefined) };
  if (!usePermission('keys:write')) return null;
  return (
    <div className={classes.keyMenu}>
      <Menu withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.actions(shortFingerprint(key.fingerprint))}>
            <EllipsisVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<CalendarClock size={16} />} onClick={() => setAct('retire')}>
            {key.endsAt === undefined ? t.retire : t.changeEnd}
          </Menu.Item>
          {key.endsAt !== undefined && (
            <Menu.Item leftSection={<CalendarPlus size={16} />} onClick={() => setAct('extend')}>
              {t.extend}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<ShieldX size={16} />} onClick={() => setAct('revoke')}>
            {t.revoke}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {act === 'retire' && <RetireKeyDialog {...dialog} />}
      {act === 'extend' && <ExtendKeyDialog {...dialog} />}
      {act === 'revoke' && <RevokeKeyDialog {...dialog} />}
    </div>
  );
}

function EndedKeys({ keys }: { readonly keys: readonly Key[] }): ReactElement {
  const t = clientWords.keys;
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

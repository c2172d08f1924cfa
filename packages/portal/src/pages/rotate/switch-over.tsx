import type { Key, RequestEntry } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { AppLink } from '../../components/app-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { shortTime } from '../../components/time-words.ts';
import { Countdown } from '../../keys/countdown.tsx';
import { ExtendKeyDialog, RetireKeyDialog } from '../../keys/key-dialogs.tsx';
import { formatShare, ShareBar } from '../../keys/share-bar.tsx';
import { type TrafficShare, trafficShares } from '../../keys/traffic-share.ts';
import { rotate } from '#messages/rotate.ts';
import { isRefusal } from '../../explanation/refusal.ts';
import { requestsPath } from '../../requests/request-filters.ts';
import classes from './rotate.module.css';

const t = rotate.switch;

interface SwitchOverProps {
  readonly view: ClientView;
  readonly newKey: Key;
  readonly oldKey: Key;
}

/** The fourth step: traffic moves to the new key until the old one ends or is retired. */
export function SwitchOver({ view, newKey, oldKey }: SwitchOverProps): ReactElement {
  const [dialog, setDialog] = useState<'retire' | 'extend'>();
  const props = { keyShown: oldKey, view, onClose: () => setDialog(undefined) };
  return (
    <div className={classes['stack']}>
      <Notice tone="success" title={t.title}>
        {newKey.firstUsedAt !== undefined && (
          <>
            {t.firstUse}: <RelativeTime at={newKey.firstUsedAt} />.{' '}
          </>
        )}
        {t.text}
      </Notice>
      <Section title={t.share}>
        <LiveShare newKey={newKey} oldKey={oldKey} />
      </Section>
      <Section title={t.oldKey}>
        <div className={classes['stack']}>
          <End oldKey={oldKey} />
          <OldKeyUse newKey={newKey} oldKey={oldKey} />
          <Group gap="sm">
            {/* Not the primary action: retiring a key too early rejects whatever still signs with it. */}
            <Button variant="default" onClick={() => setDialog('retire')}>
              {t.retireNow}
            </Button>
            {oldKey.endsAt !== undefined && (
              <Button variant="default" onClick={() => setDialog('extend')}>
                {t.extend}
              </Button>
            )}
          </Group>
          {oldKey.endsAt !== undefined && <p className={classes['quiet']}>{t.leave}</p>}
        </div>
      </Section>
      {dialog === 'retire' && <RetireKeyDialog {...props} initialChoice={{ kind: 'now' }} />}
      {dialog === 'extend' && <ExtendKeyDialog {...props} />}
    </div>
  );
}

function End({ oldKey }: { readonly oldKey: Key }): ReactElement {
  if (oldKey.endsAt === undefined) return <p className={classes['quiet']}>{t.noEnd}</p>;
  return (
    <div className={classes['end']}>
      <span className={classes['endLabel']}>{t.endsIn}</span>
      <span className={classes['endTime']}>
        <Countdown to={oldKey.endsAt} />
      </span>
    </div>
  );
}

/** Warns if the old key is still in use. */
function OldKeyUse({ newKey, oldKey }: { readonly newKey: Key; readonly oldKey: Key }): ReactElement {
  const { lastUsedAt } = oldKey;
  const isUsed =
    lastUsedAt !== undefined &&
    newKey.firstUsedAt !== undefined &&
    Date.parse(lastUsedAt) > Date.parse(newKey.firstUsedAt);
  if (!isUsed) {
    return (
      <Notice tone="neutral" title={t.quiet}>
        {t.quietText}
      </Notice>
    );
  }
  return (
    <Notice
      tone="warning"
      title={t.stillUsed}
      action={
        <AppLink to={requestsPath({ clientId: oldKey.clientId })} size="sm">
          {t.seeRequests}
        </AppLink>
      }
    >
      {t.stillUsedText} <RelativeTime at={lastUsedAt} />. {t.stillUsedHint}
    </Notice>
  );
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const lookAgainMs = 5000;

/** The live share of both keys since the first use of the new one. */
function LiveShare({ newKey, oldKey }: { readonly newKey: Key; readonly oldKey: Key }): ReactElement {
  const from = shareStart(newKey);
  const query = useApiQuery(
    'getRequestStatistics',
    { query: { clientId: newKey.clientId, by: 'key', interval: 'hour', from } },
    { refetchIntervalMs: lookAgainMs },
  );
  return (
    <div className={classes['stack']}>
      <p className={classes['quiet']}>{t.shareText(shortTime(from))}</p>
      <QueryState query={query}>
        {(statistics) => {
          const shares = trafficShares(statistics, Date.parse(from));
          return (
            <div className={classes['shares']}>
              <Share name={t.newKey} traffic={shares.get(newKey.keyId)} />
              <Share name={t.oldKey} traffic={shares.get(oldKey.keyId)} isOld />
            </div>
          );
        }}
      </QueryState>
      <RequestStrip newKey={newKey} />
    </div>
  );
}

interface ShareProps {
  readonly name: string;
  readonly traffic: TrafficShare | undefined;
  readonly isOld?: boolean;
}

function Share({ name, traffic, isOld = false }: ShareProps): ReactElement {
  const share = traffic?.share ?? 0;
  const requests = traffic?.requests ?? 0;
  return (
    <div className={classes['share']}>
      <div className={classes['shareWords']}>
        <strong>{name}</strong>
        <span className="tabular">{t.shareOf(formatShare(share), requests)}</span>
      </div>
      <ShareBar share={share} tone={isOld ? 'muted' : 'accent'} />
    </div>
  );
}

/** Statistics are hourly: start at the hour of the first use, at most a day ago. */
function shareStart({ firstUsedAt, createdAt }: Key): string {
  const startMs = Math.max(Date.parse(firstUsedAt ?? createdAt), Date.now() - dayMs);
  return new Date(Math.floor(startMs / hourMs) * hourMs).toISOString();
}

type Kind = 'new' | 'old' | 'refused';

const shownMax = 40;
const stripAgainMs = 5000;

/** The latest requests as marks, the newest on the right. */
function RequestStrip({ newKey }: { readonly newKey: Key }): ReactElement | null {
  const { data } = useApiQuery(
    'listRequests',
    { query: { clientId: newKey.clientId, limit: shownMax } },
    { refetchIntervalMs: stripAgainMs },
  );
  if (data === undefined || data.data.length === 0) return null;
  const kinds = data.data.toReversed().map((entry) => ({ id: entry.requestId, kind: kindOf(entry, newKey) }));
  const count = (of: Kind): number => kinds.filter(({ kind }) => kind === of).length;
  return (
    <figure className={classes['strip']}>
      <figcaption className={classes['quiet']}>{t.strip}</figcaption>
      <div
        className={classes['marks']}
        role="img"
        aria-label={t.stripWords(count('new'), count('old'), count('refused'))}
      >
        {kinds.map(({ id, kind }) => (
          <span key={id} data-kind={kind} />
        ))}
      </div>
      <div className={classes['legend']} aria-hidden>
        <span data-kind="new">{t.stripNew}</span>
        <span data-kind="old">{t.stripOld}</span>
        <span data-kind="refused">{t.stripRefused}</span>
      </div>
    </figure>
  );
}

function kindOf({ outcome, keyFingerprint }: RequestEntry, newKey: Key): Kind {
  if (isRefusal(outcome)) return 'refused';
  return keyFingerprint === newKey.fingerprint ? 'new' : 'old';
}

import type { Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { QueryState } from '../../components/query-state.tsx';
import { shortTime } from '../../components/time-words.ts';
import { useMessages } from '../../messages/messages.ts';
import { formatShare, ShareBar } from '../client/share-bar.tsx';
import { RequestStrip } from './request-strip.tsx';
import classes from './rotate.module.css';
import { type TrafficShare, trafficShares } from './traffic-share.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const lookAgainMs = 5000;

/** How the requests are spread over the two keys since the new one is in use, live. */
export function LiveShare({ newKey, oldKey }: { readonly newKey: Key; readonly oldKey: Key }): ReactElement {
  const t = useMessages('rotate').switch;
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

function Share({
  name,
  traffic,
  isOld = false,
}: {
  readonly name: string;
  readonly traffic: TrafficShare | undefined;
  readonly isOld?: boolean;
}): ReactElement {
  const t = useMessages('rotate').switch;
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

/** Statistics are kept by the hour: from the hour of the first use on, a day at most. */
function shareStart({ firstUsedAt, createdAt }: Key): string {
  const startMs = Math.max(Date.parse(firstUsedAt ?? createdAt), Date.now() - dayMs);
  return new Date(Math.floor(startMs / hourMs) * hourMs).toISOString();
}

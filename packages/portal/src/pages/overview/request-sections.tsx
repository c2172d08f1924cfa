import type { RefusedAddress } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/api.ts';
import { useApiQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import { useClientChange } from '../../clients/use-client-change.ts';
import { AppLink } from '../../components/app-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { type Range, startOfRange, stepsOfRange } from '../../components/range-picker.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.tsx';
import { ChartSkeleton, TimeChart } from '../../components/time-chart.tsx';
import { client as clientWords } from '#messages/client.ts';
import { ranges } from '#messages/ranges.ts';
import { overview } from '#messages/overview.ts';
import { FailureList } from '../../requests/failure-list.tsx';
import classes from './overview.module.css';
import { useTraffic } from './use-traffic.ts';

interface RangeProps {
  readonly range: Range;
}

export function TrafficSection({ range }: RangeProps): ReactElement {
  const t = overview.traffic;
  const { interval, count } = stepsOfRange[range];
  return (
    <Section
      title={t.title}
      actions={
        <AppLink to="/logs/requests" size="sm">
          {t.open}
        </AppLink>
      }
    >
      <div className={classes['traffic']}>
        <QueryState query={useTraffic(range)} loading={<ChartSkeleton />}>
          {(points) => (
            <TimeChart points={points.slice(-count)} interval={interval} label={t.chart(ranges[range])} />
          )}
        </QueryState>
      </div>
    </Section>
  );
}

const shownMax = 5;

export function FailuresSection({ range }: RangeProps): ReactElement {
  const t = overview.failures;
  const query = useApiQuery('listRequestFailures', { query: { from: startOfRange(range, 1, Date.now()) } });
  return (
    <Section
      title={t.title}
      actions={
        <AppLink to="/logs/requests?outcome=refused" size="sm">
          {t.open}
        </AppLink>
      }
    >
      <QueryState query={query} loading={<LoadingLines count={8} />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.none(ranges[range])}</p>
          ) : (
            <FailureList groups={items.slice(0, shownMax)} withClient />
          )
        }
      </QueryState>
    </Section>
  );
}

const addressesMax = 5;

export function RefusedSection(): ReactElement {
  const t = overview.refused;
  const query = useApiQuery('listRefusedAddresses');
  return (
    <Section title={t.title} description={t.description}>
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.none}</p>
          ) : (
            <RefusedAddressList items={items.slice(0, addressesMax)} withClient />
          )
        }
      </QueryState>
    </Section>
  );
}

interface RefusedAddressListProps {
  readonly items: readonly RefusedAddress[];
  /** Names the client of each entry. */
  readonly withClient?: boolean;
}

/** Lists rejected addresses with a button to allow each. */
function RefusedAddressList({ items, withClient = false }: RefusedAddressListProps): ReactElement {
  const t = clientWords.network;
  const [chosen, setChosen] = useState<RefusedAddress>();
  const change = useClientChange();
  const add = ({ clientId, sourceAddress: entry }: RefusedAddress): Promise<void> =>
    change(() => api.call('addNetworkEntry', { path: { clientId }, body: { entry } }), t.entryAdded(entry));
  return (
    <>
      <ul className={rows['rows']}>
        {items.map((item) => (
          <li key={`${item.clientId} ${item.sourceAddress}`} className={rows['row']}>
            <RefusedAddressWords item={item} withClient={withClient} />
            <Permitted permission="clients:write">
              {(isDisabled) => (
                <Button
                  size="xs"
                  variant="default"
                  disabled={isDisabled}
                  aria-label={t.addIt(item.sourceAddress)}
                  onClick={() => setChosen(item)}
                >
                  {t.add}
                </Button>
              )}
            </Permitted>
          </li>
        ))}
      </ul>
      {chosen && (
        <ConfirmDialog
          opened
          onClose={() => setChosen(undefined)}
          title={t.allowTitle(chosen.sourceAddress)}
          confirmLabel={t.allowConfirm}
          onConfirm={() => add(chosen)}
        >
          <p>{t.allowText(chosen.clientName)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface RefusedAddressWordsProps {
  readonly item: RefusedAddress;
  readonly withClient: boolean;
}

function RefusedAddressWords({ item, withClient }: RefusedAddressWordsProps): ReactElement {
  const t = clientWords.network;
  return (
    <span className={rows['rowMain']}>
      <code className={rows['rowTitle']}>{item.sourceAddress}</code>
      <span className={rows['rowDetail']}>
        {withClient && (
          <>
            <Link href={clientPath(item.clientId, '?tab=network')} className={rows['rowLink']}>
              <bdi>{item.clientName}</bdi>
            </Link>
            {' · '}
          </>
        )}
        {t.refusedCount(item.count)} · <RelativeTime at={item.lastAt} />
      </span>
    </span>
  );
}

import type { AuditEvent } from '@countersign/contract';
import { SearchX } from 'lucide-react';
import { type ReactElement, useMemo } from 'react';
import { api } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { useClientNames } from '../../clients/use-client-names.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Section } from '../../components/section.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { ExportMenu } from '../../lists/export-menu.tsx';
import { ListState, NewEntriesBar } from '../../lists/list-state.tsx';
import { type SteadyList, useSteadyList } from '../../lists/use-steady-list.ts';
import { auditLog as t } from '#messages/audit-log.ts';
import { AuditEntries } from './audit-entries.tsx';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import {
  type AuditFilters,
  auditFiltersQuery,
  auditListQuery,
  fitsAuditFilters,
  readAuditFilters,
} from './audit-filters.ts';

const pageSize = 50;
const eventIdOf = ({ eventId }: AuditEvent): string => eventId;
const happenedMs = ({ happenedAt }: AuditEvent): number => Date.parse(happenedAt);

/** Settings > Audit log: who changed what in the account. The address holds the filters. */
export default function AuditLogPage(): ReactElement {
  const [query, setQuery] = useParameters();
  const filters = readAuditFilters(query);
  const clientName = useClientNames();
  const names = useMemo(() => ({ clientName }), [clientName]);
  const { pages, newCount, showNew } = useAuditList(filters);
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        <ExportMenu
          order={() => ({
            operation: 'listAuditEvents',
            query: auditListQuery(filters, Date.now()),
            fileStem: `audit-log-${new Date().toISOString().slice(0, 10)}`,
          })}
        />
      }
    >
      <AuditFilterBar
        filters={filters}
        onChange={(next) => setQuery(auditFiltersQuery(next), { replace: true })}
      />
      <Section title={t.list} isFlush isPlain>
        <NewEntriesBar
          count={newCount.count}
          label={t.newEntries(newCount)}
          spoken={t.newAnnounced(newCount)}
          isBusy={pages.isFetching && !pages.isFetchingNextPage}
          onShow={showNew}
        />
        <ListState
          pages={pages}
          empty={
            <EmptyState icon={SearchX} title={t.noneTitle}>
              {t.noneText}
            </EmptyState>
          }
        >
          {(events) => <AuditEntries events={events} names={names} />}
        </ListState>
      </Section>
    </Page>
  );
}

function useAuditList(filters: AuditFilters): SteadyList<AuditEvent> {
  const accountId = useAccountId();
  const list = useSteadyList<AuditEvent>({
    key: `audit ${accountId} ${JSON.stringify(filters)}`,
    load: (nowMs, cursor, signal) =>
      api.call('listAuditEvents', {
        query: {
          ...auditListQuery(filters, nowMs),
          limit: pageSize,
          ...(cursor !== undefined && { cursor }),
        },
        signal,
      }),
    loadSince: (since) =>
      api.call('listAuditEvents', { query: { ...auditListQuery(filters, Date.now()), ...since } }),
    idOf: eventIdOf,
    timeOf: happenedMs,
  });
  useLiveEvents({
    onChanges: (events) =>
      list.noteNew(events.filter((event) => fitsAuditFilters(event, filters)).map(({ eventId }) => eventId)),
    onGap: () => {
      if (filters.to === undefined) list.noteGap();
    },
  });
  return list;
}

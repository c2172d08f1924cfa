import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { usePagedQuery } from '../../api/queries.ts';
import { AuditTimeline } from '../../audit/audit-timeline.tsx';
import type { ClientView } from '../../clients/client-view.ts';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { client as clientWords } from '#messages/client.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './client.module.css';

const t = clientWords.history;

const pageLength = 25;

export function HistoryTab({ view: { client } }: { readonly view: ClientView }): ReactElement {
  const maySee = usePermission('audit:read');
  const query = usePagedQuery(
    'listAuditEvents',
    { query: { clientId: client.clientId, limit: pageLength } },
    { enabled: maySee },
  );
  const clientName = (clientId: string): string | undefined =>
    clientId === client.clientId ? client.name : undefined;
  if (!maySee) {
    return (
      <Section title={t.title}>
        <p className={classes['quiet']}>{t.mayNot}</p>
      </Section>
    );
  }
  return (
    <Section title={t.title} description={t.description}>
      <QueryState query={query}>
        {({ pages }) => {
          const events = pages.flatMap(({ data }) => data);
          return events.length === 0 ? (
            <p className={classes['quiet']}>{t.none}</p>
          ) : (
            <AuditTimeline events={events} names={{ clientName }} label={t.title} />
          );
        }}
      </QueryState>
      {query.hasNextPage && (
        <Button
          variant="default"
          mt="lg"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t.more}
        </Button>
      )}
    </Section>
  );
}

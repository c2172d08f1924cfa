import type { ServiceHealth } from '@countersign/contract';
import type { ReactElement, ReactNode } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { Facts } from '../../components/facts.tsx';
import { Notice, StatusBadge } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { operator as t } from '#messages/operator.ts';
import classes from './operator.module.css';
import { PartTable } from './part-table.tsx';

const lookAgainMs = 5000;
/** The registry is polled four times a second, so an older copy means trouble. */
const registryAgeMsMax = 1000;

/** Operator > System health: the state of the node that responds. */
export default function HealthPage(): ReactElement {
  const query = useApiQuery('getServiceHealth', {}, { refetchIntervalMs: lookAgainMs });
  return (
    <Page title={t.healthTitle} description={t.healthDescription}>
      <QueryState query={query}>{(health) => <Health health={health} />}</QueryState>
    </Page>
  );
}

function Health({ health }: { readonly health: ServiceHealth }): ReactElement {
  const { isReady, reason, registry, requestLog, explanations } = health;
  return (
    <>
      <Notice tone={isReady ? 'success' : 'danger'} title={isReady ? t.ready : t.notReady}>
        {isReady ? t.readyText : reason}
      </Notice>
      <Section title={t.parts} description={t.partsText} isFlush isPlain>
        <PartTable parts={health.parts} />
      </Section>
      <div className={classes['cards']}>
        <Section title={t.service} isPlain>
          <Facts
            items={[
              { label: t.version, value: health.version },
              { label: t.startedAt, value: <RelativeTime at={health.startedAt} /> },
              { label: t.mail, value: flagged(t.mails[health.mail], health.mail === 'folder') },
            ]}
          />
        </Section>
        <Section title={t.storage} isPlain>
          <Facts
            items={[
              { label: t.database, value: t.databases[health.database] },
              { label: t.guard, value: t.guards[health.guard] },
            ]}
          />
        </Section>
        <Section title={t.registry} isPlain>
          <Facts
            items={[
              { label: t.registryClients, value: t.count(registry.clients) },
              {
                label: t.registryAge,
                value: flagged(t.ageMs(registry.ageMs), registry.ageMs > registryAgeMsMax),
              },
            ]}
          />
        </Section>
        <Section title={t.requestLog} description={t.droppedNote} isPlain>
          <Facts
            items={[
              { label: t.dropped, value: flagged(t.count(requestLog.dropped), requestLog.dropped > 0) },
              { label: t.queued, value: t.count(requestLog.queued) },
            ]}
          />
        </Section>
        <Section title={t.explanations} isPlain>
          <Facts
            items={[
              { label: t.explained, value: t.count(explanations.explained) },
              { label: t.skipped, value: t.count(explanations.skipped) },
            ]}
          />
        </Section>
      </div>
    </>
  );
}

function flagged(text: string, isFlagged: boolean): ReactNode {
  return isFlagged ? <StatusBadge tone="warning">{text}</StatusBadge> : text;
}

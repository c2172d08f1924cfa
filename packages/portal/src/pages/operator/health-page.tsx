import type { ServiceHealth } from '@countersign/contract';
import type { ReactElement, ReactNode } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { Notice, StatusBadge, type Tone } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { operator as t } from '../../messages/en/operator.ts';
import classes from './operator.module.css';

const lookAgainMs = 5000;
/** The registry is polled four times a second, so an older copy means trouble. */
const registryAgeMsMax = 1000;

/** Operator > System health: the state of the node that answers. */
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
      <div className={classes['cards']}>
        <Section title={t.service}>
          <Facts>
            <Fact label={t.version}>{health.version}</Fact>
            <Fact label={t.startedAt}>
              <RelativeTime at={health.startedAt} />
            </Fact>
            <Fact label={t.mail} tone={health.mail === 'folder' ? 'warning' : undefined}>
              {t.mails[health.mail]}
            </Fact>
          </Facts>
        </Section>
        <Section title={t.storage}>
          <Facts>
            <Fact label={t.database}>{t.databases[health.database]}</Fact>
            <Fact label={t.guard}>{t.guards[health.guard]}</Fact>
          </Facts>
        </Section>
        <Section title={t.registry}>
          <Facts>
            <Fact label={t.registryClients}>{t.count(registry.clients)}</Fact>
            <Fact label={t.registryAge} tone={registry.ageMs > registryAgeMsMax ? 'warning' : undefined}>
              {t.ageMs(registry.ageMs)}
            </Fact>
          </Facts>
        </Section>
        <Section title={t.requestLog} description={t.droppedNote}>
          <Facts>
            <Fact label={t.dropped} tone={requestLog.dropped > 0 ? 'warning' : undefined}>
              {t.count(requestLog.dropped)}
            </Fact>
            <Fact label={t.queued}>{t.count(requestLog.queued)}</Fact>
          </Facts>
        </Section>
        <Section title={t.explanations}>
          <Facts>
            <Fact label={t.explained}>{t.count(explanations.explained)}</Fact>
            <Fact label={t.skipped}>{t.count(explanations.skipped)}</Fact>
          </Facts>
        </Section>
      </div>
    </>
  );
}

function Facts({ children }: { readonly children: ReactNode }): ReactElement {
  return <dl className={classes['facts']}>{children}</dl>;
}

function Fact({
  label,
  tone,
  children,
}: {
  readonly label: string;
  readonly tone?: Tone | undefined;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className={classes['fact']}>
      <dt>{label}</dt>
      <dd>{tone === undefined ? children : <StatusBadge tone={tone}>{children}</StatusBadge>}</dd>
    </div>
  );
}

import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { AppLink } from '../../components/app-link.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { FailureList } from '../client/failure-list.tsx';
import classes from './overview.module.css';

const shownMax = 5;

/** Why requests were refused lately. */
export function FailuresSection(): ReactElement {
  const t = useMessages('overview').failures;
  const query = useApiQuery('listRequestFailures');
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={
        <AppLink to="/logs/requests?outcome=refused" size="sm">
          {t.open}
        </AppLink>
      }
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.none}</p>
          ) : (
            <FailureList groups={items.slice(0, shownMax)} withClient />
          )
        }
      </QueryState>
    </Section>
  );
}

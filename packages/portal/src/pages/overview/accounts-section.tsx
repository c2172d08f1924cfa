import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { AppLink } from '../../components/app-link.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './overview.module.css';

const shownMax = 8;

/** Whom the service serves: the first of its accounts. */
export function AccountsSection(): ReactElement {
  const t = useMessages('overview').operator;
  const query = useApiQuery('listAccounts', { query: { limit: shownMax } });
  return (
    <Section
      title={t.accounts}
      actions={
        <AppLink to="/operator/accounts" size="sm">
          {t.accountsOpen}
        </AppLink>
      }
    >
      <QueryState query={query}>
        {({ data }) => {
          const customers = data.filter(({ isOperator }) => !isOperator);
          if (customers.length === 0) return <p className={classes['quiet']}>{t.noAccounts}</p>;
          return (
            <ul className={classes['rows']}>
              {customers.map(({ accountId, name, createdAt }) => (
                <li key={accountId} className={classes['row']}>
                  <span className={classes['rowMain']}>
                    <bdi className={classes['rowName']}>{name}</bdi>
                    <code className={classes['rowDetail']}>{accountId}</code>
                  </span>
                  <span className={classes['rowDetail']}>
                    {t.created} <RelativeTime at={createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </QueryState>
    </Section>
  );
}

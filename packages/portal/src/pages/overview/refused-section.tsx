import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { RefusedAddressList } from '../client/refused-address-list.tsx';
import classes from './overview.module.css';

const shownMax = 5;

/** Addresses that may be missing in a whitelist. */
export function RefusedSection(): ReactElement {
  const t = useMessages('overview').refused;
  const query = useApiQuery('listRefusedAddresses');
  return (
    <Section title={t.title} description={t.description}>
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.none}</p>
          ) : (
            <RefusedAddressList items={items.slice(0, shownMax)} withClient />
          )
        }
      </QueryState>
    </Section>
  );
}

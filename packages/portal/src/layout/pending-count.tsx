import type { ReactElement } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { layout as t } from '#messages/layout.ts';
import classes from './navigation.module.css';

const refetchIntervalMs = 30_000;
const countedMax = 99;

/** The number of changes that wait for a second person, beside the link to them. */
export default function PendingCount(): ReactElement | null {
  const { data } = useApiQuery('listPendingChanges', { query: { limit: 100 } }, { refetchIntervalMs });
  const count = data?.data.length ?? 0;
  if (count === 0) return null;
  return (
    <span className={classes['count']} aria-label={t.pendingChanges(count)} role="img">
      {count > countedMax ? t.manyNotices : count}
    </span>
  );
}

import { Bell } from 'lucide-react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useApiQuery } from '../api/queries.ts';
import { layout as t } from '#messages/layout.ts';
import classes from './layout.module.css';

/** Notices are created some seconds after the event, so live events arrive too early for them. */
const refetchIntervalMs = 30_000;

/** Links to the inbox, and shows the number of unread notices. */
export default function NoticeBell(): ReactElement {
  const { data } = useApiQuery('listNotices', { query: { limit: 1 } }, { refetchIntervalMs });
  const unread = data?.unread ?? 0;
  return (
    <Link href="/notices" className={classes['bellLink'] ?? ''} aria-label={t.notices(unread)}>
      <Bell size={18} aria-hidden />
      {unread > 0 && (
        <span className={classes['bellCount']} aria-hidden>
          {unread > 99 ? t.manyNotices : unread}
        </span>
      )}
    </Link>
  );
}

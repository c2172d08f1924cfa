import { Button } from '@mantine/core';
import { ArrowUp } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { announce } from '../components/announce.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { LoadingLines } from '../components/query-state.tsx';
import { components as t } from '#messages/components.ts';
import { lists } from '#messages/lists.ts';
import classes from './list.module.css';
import type { SteadyList } from './use-steady-list.ts';

/** Shows a list's entries, a skeleton while it loads, or its error. */
export function ListState<Entry>({
  pages,
  empty,
  children,
}: {
  readonly pages: SteadyList<Entry>['pages'];
  readonly empty: ReactNode;
  readonly children: (entries: readonly Entry[]) => ReactNode;
}): ReactElement {
  const entries = pages.data?.pages.flatMap((page) => page.data);
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = pages;
  // The service searches a limited number at a time, so a page can be empty without being the last.
  const isLookingOn = entries?.length === 0 && hasNextPage && !isError;
  useEffect(() => {
    if (isLookingOn && !isFetchingNextPage) void fetchNextPage();
  }, [isLookingOn, isFetchingNextPage, fetchNextPage]);
  if (entries === undefined) {
    return (
      <div key="state" className={classes['state']}>
        {pages.error ? (
          <ErrorNotice error={pages.error} onRetry={() => void pages.refetch()} />
        ) : (
          <LoadingLines count={6} />
        )}
      </div>
    );
  }
  if (isLookingOn) {
    return (
      <div key="looking" className={classes['state']} role="status">
        {lists.searchingOn}
      </div>
    );
  }
  return (
    <>
      {entries.length === 0 ? empty : children(entries)}
      {pages.hasNextPage && (
        // With a key of its own, it never takes the element of the lines that are shown while the list loads.
        <div key="more" className={classes['more']}>
          <Button
            variant="default"
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            {t.loadMore}
          </Button>
        </div>
      )}
    </>
  );
}

/** Offers new entries above a list. Screen readers announce them once, not with every new entry. */
export function NewEntriesBar({
  count,
  label,
  spoken,
  isBusy,
  onShow,
}: {
  readonly count: number;
  readonly label: string;
  readonly spoken: string;
  readonly isBusy: boolean;
  readonly onShow: () => void;
}): ReactElement | null {
  const wasAnnounced = useRef(false);
  useEffect(() => {
    if (count > 0 && !wasAnnounced.current) announce(spoken);
    wasAnnounced.current = count > 0;
  }, [count, spoken]);
  if (count === 0) return null;
  return (
    <div className={classes['bar']}>
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<ArrowUp size={14} aria-hidden />}
        loading={isBusy}
        onClick={onShow}
      >
        {label}
      </Button>
    </div>
  );
}

import { Button } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { LoadingLines } from '../components/query-state.tsx';
import { components as t } from '../messages/en/components.ts';
import classes from './list.module.css';
import type { SteadyList } from './use-steady-list.ts';

/** Shows what a list has: grey lines while it is read, a failure in words, what stands for nothing, or its entries. */
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
  if (entries === undefined) {
    return (
      <div className={classes['state']}>
        {pages.error ? (
          <ErrorNotice error={pages.error} onRetry={() => void pages.refetch()} />
        ) : (
          <LoadingLines count={6} />
        )}
      </div>
    );
  }
  return (
    <>
      {entries.length === 0 ? empty : children(entries)}
      {pages.hasNextPage && (
        <div className={classes['more']}>
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

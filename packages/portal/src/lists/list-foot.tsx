import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactElement, useEffect } from 'react';
import { components as t } from '#messages/components.ts';
import classes from './list.module.css';

/**
 * Says how many entries are shown and loads more. The service searches a limited number at a time, so a page can be empty
 * without being the last: then the next one is loaded automatically.
 */
export function ListFoot({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
  count,
  shown,
}: {
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  /** The number of entries loaded so far. */
  readonly count: number;
  readonly shown: string;
}): ReactElement {
  const isLookingOn = count === 0 && hasNextPage;
  useEffect(() => {
    if (isLookingOn && !isFetchingNextPage) void fetchNextPage();
  }, [isLookingOn, isFetchingNextPage, fetchNextPage]);
  return (
    <div className={classes['foot']}>
      <span role="status" className="tabular">
        {shown}
      </span>
      {hasNextPage && (
        <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t.loadMore}
        </Button>
      )}
    </div>
  );
}

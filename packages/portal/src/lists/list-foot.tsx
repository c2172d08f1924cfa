import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactElement, useEffect } from 'react';
import { components as t } from '../messages/en/components.ts';
import classes from './list-foot.module.css';

/**
 * Says below a list how much of it is shown, and shows more of it. A page may be empty and not the last, because the service
 * looks through a limited number at a time: then the next one is asked for by itself.
 */
export function ListFoot({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
  count,
  shown,
}: {
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  /** How many there are so far. */
  readonly count: number;
  /** Tells it in words. */
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

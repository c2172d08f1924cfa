import { Skeleton, VisuallyHidden } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { components as t } from '../messages/en/components.ts';
import { ErrorNotice } from './error-notice.tsx';
import classes from './section.module.css';

/** What `useApiQuery` and its siblings give, as far as it is needed here. */
export interface QueryLike<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface QueryStateProps<Data> {
  readonly query: QueryLike<Data>;
  readonly children: (data: Data) => ReactNode;
  /** What is shown while nothing is there yet; three grey lines unless set. */
  readonly loading?: ReactNode;
}

/** Shows what a query knows: skeletons while it loads, an error in words, or the data. Data stays when a refresh fails. */
export function QueryState<Data>({ query, children, loading }: QueryStateProps<Data>): ReactElement {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <>{loading ?? <LoadingLines />}</>;
}

/** Grey lines that breathe where text will be. */
export function LoadingLines({ count = 3 }: { readonly count?: number }): ReactElement {
  return (
    <div className={classes['lines']} aria-busy>
      <VisuallyHidden>{t.loading}</VisuallyHidden>
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} height={14} width={`${92 - ((index * 23) % 50)}%`} radius="sm" />
      ))}
    </div>
  );
}

import { Skeleton, VisuallyHidden } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { components as t } from '#messages/components.ts';
import { ErrorNotice } from './error-notice.tsx';
import classes from './section.module.css';

/** The part of a query result used here. */
export interface QueryLike<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface QueryStateProps<Data> {
  readonly query: QueryLike<Data>;
  readonly children: (data: Data) => ReactNode;
  /** Three grey lines by default. */
  readonly loading?: ReactNode;
}

/** Shows a query's placeholder, error or data. Data stays visible when a refresh fails. */
export function QueryState<Data>({ query, children, loading }: QueryStateProps<Data>): ReactElement {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <>{loading ?? <LoadingLines />}</>;
}

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

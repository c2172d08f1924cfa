import { Button } from '@mantine/core';
import { X } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { lists as t } from '../messages/en/lists.ts';
import classes from './filter-bar.module.css';

/** The filters of a list, side by side, with what clears them. */
export function FilterBar({
  children,
  onClear,
}: {
  readonly children: ReactNode;
  /** Undefined while nothing is filtered. */
  readonly onClear: (() => void) | undefined;
}): ReactElement {
  return (
    <div className={classes['filters']} role="group" aria-label={t.filters}>
      {children}
      {onClear && (
        <Button
          variant="subtle"
          color="gray"
          className={classes['clear']}
          leftSection={<X size={14} aria-hidden />}
          onClick={onClear}
        >
          {t.clearFilters}
        </Button>
      )}
    </div>
  );
}

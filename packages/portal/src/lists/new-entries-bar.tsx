import { Button } from '@mantine/core';
import { ArrowUp } from 'lucide-react';
import { type ReactElement, useEffect, useRef } from 'react';
import { announce } from '../components/announce.ts';
import classes from './list.module.css';

/** Offers what is new above a list; nothing while nothing is. It is said once, not with every new entry. */
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

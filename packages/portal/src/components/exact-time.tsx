import type { ReactElement } from 'react';
import { components as t } from '#messages/components.ts';
import classes from './exact-time.module.css';
import { useNow } from './relative-time.tsx';
import { exactTime, relativeTime, utcTime, yearOf } from './time-words.ts';

interface ExactTimeProps {
  /** RFC 3339. */
  readonly at: string;
  /** Fits into a row of a table: on one line, and without the current year. */
  readonly isShort?: boolean;
}

/** A time to the second with its zone, and how long ago that was. The title says it in UTC. */
export function ExactTime({ at, isShort = false }: ExactTimeProps): ReactElement {
  const nowMs = Math.max(useNow(), Date.parse(at));
  const [day = '', clock] = exactTime(at).split(', ');
  const year = ` ${yearOf(nowMs)}`;
  return (
    <time dateTime={at} title={utcTime(at)} className={classes['time']} data-short={isShort || undefined}>
      <span className={classes['part']}>{isShort ? day.replace(year, '') : day},</span>{' '}
      <span className={classes['part']}>{clock}</span>{' '}
      <span className={classes['ago']}>{relativeTime(Date.parse(at), nowMs, t.justNow)}</span>
    </time>
  );
}

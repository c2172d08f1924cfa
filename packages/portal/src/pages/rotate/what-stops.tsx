import type { Key } from '@countersign/contract';
import { CircleCheck, CircleX } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './rotate.module.css';

/** In plain words: what no longer works when a key is revoked, and what goes on. */
export function WhatStops({
  keyShown: key,
  hasOther,
  requests,
}: {
  readonly keyShown: Key;
  readonly hasOther: boolean;
  /** How many requests the key signed in the last day; undefined while it is not known. */
  readonly requests: number | undefined;
}): ReactElement {
  const t = useMessages('rotate').compromised;
  return (
    <div className={classes['stops']}>
      <div>
        <h3>{t.stops}</h3>
        <ul>
          <Line stops>{t.stopsRequests}</Line>
          <Line stops>
            {key.lastUsedAt === undefined ? (
              t.stopsNever
            ) : (
              <>
                {t.stopsLast} <RelativeTime at={key.lastUsedAt} />.{' '}
                {requests !== undefined && t.stopsShare(requests)}
              </>
            )}
          </Line>
          <Line stops>{t.stopsForever}</Line>
        </ul>
      </div>
      <div>
        <h3>{t.goesOn}</h3>
        <ul>
          {hasOther ? (
            <Line>{t.otherKey}</Line>
          ) : (
            <>
              <Line stops>{t.nothing}</Line>
              <Line>{t.nothingHint}</Line>
            </>
          )}
        </ul>
      </div>
    </div>
  );
}

function Line({
  stops = false,
  children,
}: {
  readonly stops?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const Icon = stops ? CircleX : CircleCheck;
  return (
    <li data-stops={stops || undefined}>
      <Icon size={16} aria-hidden />
      <span>{children}</span>
    </li>
  );
}

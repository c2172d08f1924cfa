import { VisuallyHidden } from '@mantine/core';
import { type ReactElement, useSyncExternalStore } from 'react';
import { components as t } from '#messages/components.ts';
import { Tip } from './tip.tsx';
import { absoluteTime, relativeTime } from './time-words.ts';

interface RelativeTimeProps {
  /** RFC 3339. */
  readonly at: string;
}

/** A time such as `3 minutes ago`, with the date on hover and for screen readers. It updates itself. */
export function RelativeTime({ at }: RelativeTimeProps): ReactElement {
  // The clock ticks every 15 s, so a recent time may be ahead of it.
  const nowMs = Math.max(useNow(), Math.min(Date.parse(at), Date.now()));
  const words = absoluteTime(at);
  return (
    <Tip label={words}>
      <time dateTime={at}>
        {relativeTime(Date.parse(at), nowMs, t.justNow)}
        <VisuallyHidden>, {words}</VisuallyHidden>
      </time>
    </Tip>
  );
}

const tickMs = 15_000;
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the time. All components share a clock that ticks every 15 s. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    nowMs = Date.now();
    timer = setInterval(tick, tickMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

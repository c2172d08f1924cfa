import { type ReactElement, useEffect, useState } from 'react';
import { shortTime } from '../components/time-words.ts';
import { client as t } from '#messages/client.ts';

const secondMs = 1000;
const minuteSeconds = 60;
const daySeconds = 86_400;

/** The time left, updated every second. Screen readers get the time itself. */
export function Countdown({ to }: { readonly to: string }): ReactElement {
  const nowMs = useSecondHand();
  const left = Math.max(0, Math.ceil((Date.parse(to) - nowMs) / secondMs));
  // Three days that have just begun are `3 d`, not `2 d 23 h`.
  const seconds = left > daySeconds ? left + minuteSeconds : left;
  const text =
    seconds === 0
      ? t.countdownOver
      : t.countdown(
          Math.floor(seconds / daySeconds),
          Math.floor(seconds / 3600) % 24,
          Math.floor(seconds / 60) % 60,
          seconds % 60,
        );
  return (
    <time dateTime={to} title={shortTime(to)}>
      <span aria-hidden="true">{text}</span>
      <span className="portal-visually-hidden">{shortTime(to)}</span>
    </time>
  );
}

function useSecondHand(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), secondMs);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

import { type KeyboardEvent, type PointerEvent, type ReactElement, useState } from 'react';
import { stepMs } from '../../components/range-picker.tsx';
import { timeSpan } from '../../components/time-words.ts';
import { requests as t } from '#messages/requests.ts';
import { type Bar, barParts, HistogramColumns, sumOf } from './histogram-columns.tsx';
import { type HistogramWindow, type Stretch } from './histogram-window.ts';
import classes from './request-histogram.module.css';

interface HistogramBarsProps {
  /** Oldest first; none while they load. */
  readonly bars: readonly Bar[];
  readonly window: HistogramWindow;
  readonly chosen: Stretch | undefined;
  /** Says why there are no bars, or that nothing is in them. */
  readonly empty: string;
  readonly onChoose: (stretch: Stretch) => void;
}

/** The element that takes the focus when the chosen range is cleared. */
export const histogramId = 'request-histogram';

/** A stretch while it is being marked: the end moves. */
interface Mark {
  readonly anchor: number;
  readonly end: number;
}

/** The bars. A stretch of them is marked by dragging, or with the arrow keys and Shift, and chosen with Enter. */
export function HistogramBars({ bars, window, chosen, empty, onChoose }: HistogramBarsProps): ReactElement {
  const [mark, setMark] = useState<Mark>();
  const [isDragging, setIsDragging] = useState(false);
  const lastIndex = Math.max(0, bars.length - 1);
  const marked = mark && stretchOfMark(mark, lastIndex);
  const markTo = (end: number, isExtended: boolean): Mark => {
    const next = { anchor: isExtended ? (mark?.anchor ?? end) : end, end };
    setMark(next);
    return next;
  };
  const stop = (): void => {
    setMark(undefined);
    setIsDragging(false);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') stop();
    if (event.key === 'Enter' && marked) onChoose(marked);
    const end = mark?.end ?? chosen?.last ?? lastIndex + 1;
    const next = { ArrowLeft: end - 1, ArrowRight: end + 1, Home: 0, End: lastIndex }[event.key];
    if (next === undefined || bars.length === 0) return;
    event.preventDefault();
    markTo(Math.max(0, Math.min(lastIndex, next)), event.shiftKey);
  };
  const words = wordsOf(bars, window, marked ?? chosen, empty);
  return (
    <div
      id={histogramId}
      className={classes['bars']}
      role="slider"
      tabIndex={0}
      aria-label={t.histogram}
      aria-valuemin={0}
      aria-valuemax={lastIndex}
      aria-valuenow={marked ? Math.min(mark.end, lastIndex) : (chosen?.last ?? lastIndex)}
      aria-valuetext={words}
      onKeyDown={press}
      onBlur={stop}
      onPointerDown={(event) => {
        if (event.button !== 0 || bars.length === 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setIsDragging(true);
        markTo(indexAt(event, bars.length), event.shiftKey);
      }}
      onPointerMove={(event) => bars.length > 0 && markTo(indexAt(event, bars.length), isDragging)}
      onPointerUp={(event) => {
        if (!isDragging) return;
        const done = markTo(indexAt(event, bars.length), true);
        stop();
        onChoose(stretchOfMark(done, lastIndex));
      }}
      onPointerCancel={stop}
      onPointerLeave={() => !isDragging && setMark(undefined)}
    >
      <HistogramColumns bars={bars} marked={marked} chosen={chosen} />
      {bars.every((bar) => sumOf(bar) === 0) && <span className={classes['empty']}>{empty}</span>}
      {marked && <Tip marked={marked} count={bars.length} text={words} />}
      <Ends window={window} />
    </div>
  );
}

function stretchOfMark({ anchor, end }: Mark, lastIndex: number): Stretch {
  // There may be fewer bars than when the mark began.
  return { first: Math.min(anchor, end, lastIndex), last: Math.min(Math.max(anchor, end), lastIndex) };
}

function indexAt(event: PointerEvent<HTMLElement>, count: number): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - left) / width) * count)));
}

function Tip({
  marked,
  count,
  text,
}: {
  readonly marked: Stretch;
  readonly count: number;
  readonly text: string;
}): ReactElement {
  const share = (marked.first + marked.last + 1) / 2 / count;
  const place = share > 0.5 ? { right: `${(1 - share) * 100}%` } : { left: `${share * 100}%` };
  return (
    <div className={classes['tip']} style={place} aria-hidden>
      {text}
    </div>
  );
}

/** The times at both ends. */
function Ends({ window: { fromMs, toMs } }: { readonly window: HistogramWindow }): ReactElement {
  const [from, to] = [fromMs, toMs].map((timeMs) => timeSpan(timeMs, timeMs));
  return (
    <div className={classes['ends']} aria-hidden>
      <span>{from}</span>
      <span>{to}</span>
    </div>
  );
}

/** `28 Nov, 14:00 – 16:00: 12 accepted, 2 rejected`. */
function wordsOf(
  bars: readonly Bar[],
  { interval, fromMs, toMs }: HistogramWindow,
  stretch: Stretch | undefined,
  empty: string,
): string {
  if (bars.length === 0) return empty;
  const { first, last } = stretch ?? { first: 0, last: bars.length - 1 };
  const some = bars.slice(first, last + 1);
  const sums = barParts.map((part) => [part, some.reduce((sum, bar) => sum + bar[part], 0)] as const);
  const step = stepMs[interval];
  const span = timeSpan(fromMs + first * step, stretch ? fromMs + (last + 1) * step : toMs);
  return `${span}: ${t.histogramCounts(Object.fromEntries(sums) as Record<keyof Bar, number>)}`;
}

import { SegmentedControl } from '@mantine/core';
import type { ReactElement } from 'react';
import { ranges as words } from '#messages/ranges.ts';
import { useParameters } from './use-raw-search.ts';

const ranges = ['24h', '7d', '30d'] as const;

/** A stretch of time that ends now. */
export type Range = (typeof ranges)[number];

/** How the requests of a range are counted. */
export interface RangeSteps {
  readonly interval: 'hour' | 'day';
  readonly count: number;
}

export const stepsOfRange: Readonly<Record<Range, RangeSteps>> = {
  '24h': { interval: 'hour', count: 24 },
  '7d': { interval: 'day', count: 7 },
  '30d': { interval: 'day', count: 30 },
};

/** The lengths of the steps in which the service counts requests, in UTC. */
export const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** Returns where a range begins, in RFC 3339; with `times` 2, where the one before it begins. */
export function startOfRange(range: Range, times: 1 | 2, nowMs: number): string {
  const { interval, count } = stepsOfRange[range];
  const step = stepMs[interval];
  // The step that has begun counts as one.
  return new Date(Math.ceil(nowMs / step) * step - times * count * step).toISOString();
}

/** Returns the range in the address, so that it stays after a reload and in a link. */
export function useRange(): readonly [Range, (range: Range) => void] {
  const [parameters, change] = useParameters();
  const range = rangeOf(parameters.get('range'));
  const choose = (next: Range): void =>
    change(
      () => {
        const changed = new URLSearchParams(parameters);
        if (next === '24h') changed.delete('range');
        else changed.set('range', next);
        return changed;
      },
      { replace: true },
    );
  return [range, choose];
}

function rangeOf(name: string | null): Range {
  return ranges.find((range) => range === name) ?? '24h';
}

export function RangePicker({
  value,
  onChange,
}: {
  readonly value: Range;
  readonly onChange: (range: Range) => void;
}): ReactElement {
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.label}
      value={value}
      onChange={(next) => onChange(rangeOf(next))}
      data={ranges.map((range) => ({ value: range, label: words[range] }))}
    />
  );
}

import type { Page } from 'playwright-core';

/** Half of what browsers' makers call good. */
export const shiftMax = 0.05;

interface Shift {
  readonly value: number;
  /** What follows a click at once is no surprise. */
  readonly hadRecentInput: boolean;
}

/** Returns how much a page moved what it had shown, as browsers measure it. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & Shift)[])
            if (!entry.hadRecentInput) sum += entry.value;
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
      }),
  );
}

import { checkObject, wrongType } from '../arguments/check-argument.ts';

/** Limits on the differences between a signature's times and the verifier's clock, and between each other. */
export interface TimeWindow {
  /** The maximum age of `created`, inclusive. */
  readonly maxAgeSeconds: number;
  /** The maximum lead of `created` over the verifier's clock, inclusive. */
  readonly maxFutureSeconds: number;
  /** The maximum difference between `Date` and `created`, inclusive. */
  readonly maxDateDifferenceSeconds: number;
}

/** @throws TypeError if one of the window's numbers is missing, negative or not a number */
export function checkTimeWindow(window: TimeWindow, name: string = 'window'): void {
  checkObject(window, name);
  for (const member of ['maxAgeSeconds', 'maxFutureSeconds', 'maxDateDifferenceSeconds'] as const) {
    const value = window[member];
    if (!(Number.isFinite(value) && value >= 0))
      throw wrongType(`${name}.${member}`, value, 'a number of seconds, 0 or more');
  }
}

/** Returns the system's clock in Unix seconds. */
export function systemSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

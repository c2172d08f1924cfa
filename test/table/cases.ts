import type { Case } from './case.ts';
import { bodies } from './cases/bodies.ts';
import { clock } from './cases/clock.ts';
import { dropped } from './cases/dropped.ts';
import { equal } from './cases/equal.ts';
import { methods } from './cases/methods.ts';
import { redirects } from './cases/redirects.ts';
import { refusals } from './cases/refusals.ts';
import { timeouts } from './cases/timeouts.ts';
import { urls } from './cases/urls.ts';

/** All rows, in the order of the table. */
export const cases: readonly Case[] = [
  ...methods,
  ...bodies,
  ...urls,
  ...clock,
  ...redirects,
  ...refusals,
  ...dropped,
  ...equal,
  ...timeouts,
];

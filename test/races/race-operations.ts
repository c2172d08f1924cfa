import type { UsedSignature } from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import { SharedReplayGuard } from '../../packages/gate/src/replay/shared-guard.ts';
import type { SharedGuardMemory } from '../../packages/gate/src/replay/shared-memory.ts';
import { randomNumbers } from '../random-numbers.ts';

/** The data that the threads of a race share. */
export interface RaceMemory {
  readonly guard: SharedGuardMemory;
  /** The time since the start of the race, in milliseconds, and 1 once it is over. */
  readonly clock: Int32Array;
  /** How often each signature was accepted: `idsPerSecond` cells for each second of `created`. */
  readonly accepted: Uint8Array;
  /** How often something happened, by `happenings`. */
  readonly counts: Int32Array;
}

export interface RaceThread extends RaceMemory {
  /** The thread's number in the guard, from 1 on. */
  readonly thread: number;
  readonly seed: number;
  /** Uses a guard that looks first and then inserts, to show that a race notices. */
  readonly isBroken: boolean;
}

/** The counters, and the cell of each. */
export const happenings = [
  'operations',
  'accepted',
  'signature_replayed',
  'recently_restarted',
  'doubles',
] as const;

/** The Unix second in which a race begins. */
export const raceStart = 1_800_000_000;
/** Few, so that threads meet all the time. */
export const idsPerSecond = 64;
export const raceWindow = { maxAgeSeconds: 3, maxFutureSeconds: 1, maxDateDifferenceSeconds: 60 };
/** The number of operations per second of a race: each signature is tried several times. */
export const operationsPerSecond = idsPerSecond * 32;
const operationsPerLook = 64;
/** Only reached by a race that ends while threads wait, or a main thread that has failed. */
const waitMsMax = 100;

/** Uses random signatures, again and again, until the race is over. */
export function runRaceThread(race: RaceThread): void {
  const { clock, counts } = race;
  const random = randomNumbers(race.seed);
  const guard = race.isBroken ? brokenGuard(race) : openGuard(race);
  const found = new Int32Array(happenings.length);
  while (Atomics.load(clock, 1) === 0) {
    for (let count = 0; count < operationsPerLook; count++) operate(race, guard, random, found);
    for (const [index, number] of found.entries()) Atomics.add(counts, index, number);
    found.fill(0);
    waitForTime(race);
  }
}

/**
 * Waits while the operations are more than a second ahead of the time. On few cores the main thread, which
 * advances the time, seldom runs: without this, time would jump by many seconds, and signatures would never
 * be just too old.
 */
function waitForTime({ clock, counts }: RaceThread): void {
  const isAhead = (nowMs: number): boolean =>
    Atomics.load(counts, 0) > (nowMs / 1000 + 1) * operationsPerSecond;
  for (let nowMs = Atomics.load(clock, 0); isAhead(nowMs); nowMs = Atomics.load(clock, 0)) {
    Atomics.wait(clock, 0, nowMs, waitMsMax);
    if (Atomics.load(clock, 1) !== 0) return;
  }
}

type Guard = Pick<SharedReplayGuard, 'use'>;

function operate(
  { clock, accepted }: RaceThread,
  guard: Guard,
  random: () => number,
  found: Int32Array,
): void {
  const second = Math.floor(Atomics.load(clock, 0) / 1000);
  // From two seconds before the window to its end.
  const created = Math.max(0, second + 2 - (random() % (raceWindow.maxAgeSeconds + 4)));
  const number = random() % idsPerSecond;
  const cell = created * idsPerSecond + number;
  if (cell >= accepted.length)
    throw new Error('The race lasts far longer than its operations should, and too little happened in it.');
  const refusal = guard.use(signatureOf(created, number), raceStart + second);
  if (refusal instanceof Promise) throw new Error('A guard whose seconds are reserved answers at once.');
  found[0]! += 1;
  if (refusal) {
    const index = happenings.indexOf(refusal.code as (typeof happenings)[number]);
    // Nothing is reserved for the second after the window; anything else is not expected.
    if (index < 0 && refusal.code !== 'guard_unavailable') throw new Error(`Refused with ${refusal.code}.`);
    found[index]! += 1;
    return;
  }
  found[1]! += 1;
  if (Atomics.add(accepted, cell, 1) !== 0) found[4]! += 1;
}

function openGuard({ guard: memory, thread, clock }: RaceThread): Guard {
  const monotonicMs = (): number => Atomics.load(clock, 0);
  return new SharedReplayGuard(
    { memory, thread, monotonicMs, reserve: () => refuse('guard_unavailable', 'nothing is reserved here') },
    {
      clientShareMax: 1,
      window: raceWindow,
    },
  );
}

/** Looks first, then inserts. */
function brokenGuard({ accepted }: RaceThread): Guard {
  return {
    use({ created, id }) {
      const cell = (created - raceStart) * idsPerSecond + id.charCodeAt(15);
      const isFresh = Atomics.load(accepted, cell) === 0;
      // Long enough for another thread to look too.
      for (let count = 0; count < 1000; count++) Atomics.load(accepted, cell);
      return isFresh ? undefined : { ok: false, code: 'signature_replayed', reason: '' };
    },
  };
}

function signatureOf(created: number, number: number): UsedSignature {
  const id = String.fromCharCode(
    created & 255,
    (created >> 8) & 255,
    (created >> 16) & 255,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    number,
  );
  return { id, keyid: 'client', created: raceStart + created, isSafe: false };
}

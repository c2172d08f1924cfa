import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { profileTimeWindow, type UsedSignature } from '@countersign/signature/node';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { TestClock } from '@countersign/testing/test-clock';
import fc from 'fast-check';
import { PersistentReplayGuard } from '../../src/replay/persistent-guard.ts';
import { type SecondRange, SecondRanges } from '../../src/replay/second-ranges.ts';

const noon = 1_800_000_000;
const window = profileTimeWindow;
/** The guard reserves this many seconds on both sides of the clock. */
const aroundSeconds = 2;
/** And past ones in blocks of this many. */
const blockSeconds = 16;

/** A process that dies: the guard asks for the time after it has written the mark and before it remembers anything. */
class Killed extends Error {}

type Step =
  | {
      readonly what: 'use';
      readonly aheadSeconds: number;
      readonly dies: 'not' | 'before writing' | 'after writing';
    }
  | { readonly what: 'replay'; readonly which: number }
  | { readonly what: 'pass' | 'jump'; readonly seconds: number }
  | { readonly what: 'crash' | 'stop' };

const ahead = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 1 }) },
  { weight: 2, arbitrary: fc.constantFrom(55, 57, 60) },
  { weight: 1, arbitrary: fc.integer({ min: -300, max: 60 }) },
);
const steps = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        what: fc.constant('use' as const),
        aheadSeconds: ahead,
        dies: fc.oneof(
          { weight: 8, arbitrary: fc.constant('not' as const) },
          { weight: 1, arbitrary: fc.constantFrom('before writing' as const, 'after writing' as const) },
        ),
      }),
    },
    { weight: 6, arbitrary: fc.record({ what: fc.constant('replay' as const), which: fc.nat() }) },
    { weight: 4, arbitrary: fc.record({ what: fc.constant('pass' as const), seconds: fc.nat(20) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        what: fc.constant('jump' as const),
        seconds: fc.constantFrom(-600, -60, -3, 3, 60, 600),
      }),
    },
    { weight: 3, arbitrary: fc.record({ what: fc.constantFrom('crash' as const, 'stop' as const) }) },
  ),
  { minLength: 1, maxLength: 120 },
);

/** One data folder with its clock, whose processes come and go. */
class Folder {
  readonly #path: string;
  readonly #clock = new TestClock(noon);
  readonly #accepted: UsedSignature[] = [];
  /** Every second that a process may have had a reason to reserve. */
  readonly #touched = new Set<number>();
  #latestSeconds = noon;
  #isDying = false;
  #guard: PersistentReplayGuard;
  #uses = 0;

  constructor(path: string) {
    this.#path = path;
    for (const name of ['replay-mark.json', 'replay-snapshot.bin']) rmSync(join(path, name), { force: true });
    this.#guard = this.#start();
  }

  take(step: Step): void {
    switch (step.what) {
      case 'use':
        return this.#use(step.aheadSeconds, step.dies);
      case 'replay':
        return this.replay(this.#accepted[step.which % this.#accepted.length]);
      case 'pass':
        return this.#clock.pass(step.seconds);
      case 'jump':
        return this.#clock.jump(step.seconds);
      case 'crash':
        return this.#crash(this.#mark());
      case 'stop':
        this.#guard.close();
        this.#guard = this.#start();
    }
  }

  /** Tries everything that was ever accepted, in this process and after another crash, with the clock set back to it. */
  replayAll(): void {
    for (const start of [false, true]) {
      if (start) this.#crash(this.#mark());
      for (const signature of this.#accepted) {
        this.#clock.jump(signature.created - this.#clock.seconds);
        this.replay(signature);
      }
    }
  }

  close(): void {
    this.#guard.close();
  }

  replay(signature: UsedSignature | undefined): void {
    if (!signature || !this.#isInWindow(signature.created)) return;
    const refusal = this.#guard.use(signature, this.#clock.seconds);
    assert.match(refusal?.code ?? 'accepted', /^(?:signature_replayed|recently_restarted)$/);
  }

  #use(aheadSeconds: number, dies: 'not' | 'before writing' | 'after writing'): void {
    const created = this.#clock.seconds + aheadSeconds;
    const id = String(++this.#uses).padEnd(16, '.');
    const signature = { id, keyid: 'client', created, isSafe: false };
    const mark = this.#mark();
    this.#latestSeconds = Math.max(this.#latestSeconds, this.#clock.seconds);
    const wasTouched = this.#touched.has(created);
    this.#touch(created);
    this.#isDying = dies !== 'not';
    try {
      const refusal = this.#guard.use(signature, this.#clock.seconds);
      if (!refusal) this.#accepted.push(signature);
      else {
        assert.equal(refusal.code, 'recently_restarted');
        if (this.#isExact(created))
          assert.ok(wasTouched, `second ${created - noon} was refused, and nobody had used it`);
      }
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.#crash(dies === 'before writing' ? mark : this.#mark());
    } finally {
      this.#isDying = false;
    }
  }

  /** Leaves what a killed process leaves: a mark. Closing the guard first gives its file descriptors back. */
  #crash(mark: string): void {
    this.#guard.close();
    rmSync(join(this.#path, 'replay-snapshot.bin'));
    writeFileSync(join(this.#path, 'replay-mark.json'), mark);
    this.#guard = this.#start();
  }

  /** False for seconds that were forgotten before the clock was set back, and for ranges that were merged. */
  #isExact(created: number): boolean {
    const { reserved } = JSON.parse(this.#mark()) as { reserved: readonly SecondRange[] };
    return created >= this.#latestSeconds - window.maxAgeSeconds && reserved.length < 32;
  }

  #touch(created: number): void {
    this.#touched.add(created);
    if (created < this.#clock.seconds - aroundSeconds) {
      const first = created - (created % blockSeconds);
      for (let second = first; second < first + blockSeconds; second++)
        if (second < this.#clock.seconds - aroundSeconds) this.#touched.add(second);
    }
    if (Math.abs(created - this.#clock.seconds) > aroundSeconds) return;
    for (let offset = -aroundSeconds; offset <= aroundSeconds; offset++)
      this.#touched.add(this.#clock.seconds + offset);
  }

  #isInWindow(created: number): boolean {
    const age = this.#clock.seconds - created;
    return age <= window.maxAgeSeconds && age >= -window.maxFutureSeconds;
  }

  #mark(): string {
    return readFileSync(join(this.#path, 'replay-mark.json'), 'utf8');
  }

  #start(): PersistentReplayGuard {
    this.#isDying = false;
    return new PersistentReplayGuard(this.#path, this.#clock.seconds, {
      window,
      monotonicMs: () => {
        if (this.#isDying) throw new Killed();
        return this.#clock.monotonicMs();
      },
    });
  }
}

describe('a guard that is killed at any point', () => {
  test('accepts nothing twice, and refuses no second that nobody used, except past ones beside a used one', (t) => {
    const path = temporaryFolder(t);
    fc.assert(
      fc.property(steps, (taken) => {
        const folder = new Folder(path);
        for (const step of taken) folder.take(step);
        folder.replayAll();
        folder.close();
      }),
      { numRuns: 150 },
    );
  });
});

describe('a set of seconds as a few ranges', () => {
  const range = fc
    .tuple(fc.integer({ min: 0, max: 400 }), fc.nat(4))
    .map(([first, length]): SecondRange => [first, first + length]);

  test('loses no second, keeps the latest ones exact, and stays small', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 150 }), (added) => {
        const ranges = added.reduce((all, each) => all.with(each), SecondRanges.none);
        const written = SecondRanges.parse(JSON.parse(JSON.stringify(ranges)));
        assert.ok(written);
        const json = ranges.toJSON();
        assert.ok(json.length <= 32);
        for (let second = 0; second <= 405; second++) {
          const isIn = ranges.has(second);
          assert.equal(written.has(second), isIn);
          const wasAdded = added.some(([first, last]) => first <= second && second <= last);
          if (wasAdded) assert.ok(isIn);
          // Only the oldest range may have swallowed anything.
          else if (second > (json[0]?.[1] ?? 0)) assert.ok(!isIn);
          const missing = ranges.firstMissing(second);
          assert.ok(missing >= second && !ranges.has(missing));
          for (let between = second; between < missing; between++) assert.ok(ranges.has(between));
        }
      }),
    );
  });

  test('the seconds that an ordinary window leaves ahead of the clock are never merged', () => {
    let ranges = SecondRanges.upTo(1000);
    for (let second = 1004; second <= 1060; second += 2) ranges = ranges.with([second, second]);
    for (let second = 1001; second <= 1060; second++)
      assert.equal(ranges.has(second), second >= 1004 && second % 2 === 0, String(second));
  });
});

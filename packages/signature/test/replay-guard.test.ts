import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  MemoryReplayGuard,
  type MemoryReplayGuardOptions,
  type Refusal,
  type RepeatPolicy,
  type UsedSignature,
} from '../src/index.ts';

const noon = 1_800_000_000;
const windowSeconds = 300;

/** A guard with a wall clock in seconds and a monotonic clock in milliseconds that a test sets. */
class Clocked {
  readonly clock: { wallSeconds: number; monotonicMs: number };
  readonly guard: MemoryReplayGuard;

  constructor(options: MemoryReplayGuardOptions = {}, clock = { wallSeconds: noon, monotonicMs: 5000 }) {
    this.clock = clock;
    this.guard = new MemoryReplayGuard({ monotonicMs: () => clock.monotonicMs, ...options });
  }

  /** Lets the same time pass on both clocks. */
  pass(seconds: number): void {
    this.clock.wallSeconds += seconds;
    this.clock.monotonicMs += seconds * 1000;
  }

  jump(seconds: number): void {
    this.clock.wallSeconds += seconds;
  }

  use(used: UsedSignature): Refusal | undefined {
    return this.guard.use(used, Math.floor(this.clock.wallSeconds));
  }

  /** The code of the rejection, or `accepted`. */
  outcome(used: UsedSignature): string {
    return this.use(used)?.code ?? 'accepted';
  }

  /** What a clean stop and a start make of it. */
  restarted(options: MemoryReplayGuardOptions = {}): Clocked {
    const next = new Clocked({ horizonSeconds: this.guard.horizonSeconds, ...options }, this.clock);
    next.guard.restore(this.guard.remembered(), Math.floor(this.clock.wallSeconds));
    return next;
  }
}

function signature(name: string, more: Partial<UsedSignature> = {}): UsedSignature {
  return { id: name.padEnd(16, '.'), keyid: 'client', created: noon, isSafe: false, ...more };
}

describe('a signature that comes again', () => {
  const policies: readonly (readonly [RepeatPolicy, isSafe: boolean, afterMs: number, outcome: string])[] = [
    ['equal-reads', false, 0, 'signature_replayed'],
    ['equal-reads', false, 1000, 'signature_replayed'],
    ['equal-reads', true, 2001, 'signature_replayed'],
    ['equal-reads', true, 299_000, 'signature_replayed'],
    ['strict', false, 0, 'signature_replayed'],
    ['strict', true, 0, 'signature_replayed'],
    ['unsafe-only', false, 0, 'signature_replayed'],
    ['unsafe-only', false, 299_000, 'signature_replayed'],
    ['equal-reads', true, 0, 'accepted'],
    ['equal-reads', true, 2000, 'accepted'],
    ['unsafe-only', true, 0, 'accepted'],
    ['unsafe-only', true, 299_000, 'accepted'],
  ];
  for (const [repeat, isSafe, afterMs, outcome] of policies) {
    test(`${repeat}: ${isSafe ? 'safe' : 'unsafe'}, after ${afterMs} ms: ${outcome}`, () => {
      const clocked = new Clocked({ repeat });
      assert.equal(clocked.outcome(signature('one', { isSafe })), 'accepted');
      clocked.pass(afterMs / 1000);
      assert.equal(clocked.outcome(signature('one', { isSafe })), outcome);
    });
  }

  test('is refused by default as `equal-reads` says', () => {
    const clocked = new Clocked();
    clocked.use(signature('read', { isSafe: true }));
    assert.equal(clocked.outcome(signature('read', { isSafe: true })), 'accepted');
    clocked.pass(3);
    assert.equal(clocked.outcome(signature('read', { isSafe: true })), 'signature_replayed');
  });

  test('has its 2 s from the first use, not from the last one', () => {
    const clocked = new Clocked();
    const read = signature('read', { isSafe: true });
    const outcomes = [0, 1, 1, 0.5].map((seconds) => {
      clocked.pass(seconds);
      return clocked.outcome(read);
    });
    assert.deepEqual(outcomes, ['accepted', 'accepted', 'accepted', 'signature_replayed']);
  });

  test('has its 2 s by the monotonic clock, wherever the wall clock goes', () => {
    const clocked = new Clocked();
    const read = signature('read', { isSafe: true });
    clocked.use(read);
    clocked.jump(60);
    assert.equal(clocked.outcome(read), 'accepted');
    clocked.pass(3);
    clocked.jump(-63);
    assert.equal(clocked.outcome(read), 'signature_replayed');
  });

  test('is told from others of the same second, and from another one by the id alone', () => {
    const clocked = new Clocked();
    assert.equal(clocked.outcome(signature('one')), 'accepted');
    assert.equal(clocked.outcome(signature('two')), 'accepted');
    assert.equal(clocked.outcome(signature('one', { keyid: 'other' })), 'signature_replayed');
    assert.equal(clocked.guard.size, 2);
  });

  test('is not remembered when unsafe-only lets it pass unguarded', () => {
    const clocked = new Clocked({ repeat: 'unsafe-only' });
    clocked.use(signature('read', { isSafe: true }));
    assert.equal(clocked.guard.size, 0);
  });
});

describe('capacity', () => {
  test('limits that would not limit are refused', () => {
    for (const entriesMax of [0, -1, Number.NaN]) {
      assert.throws(() => new MemoryReplayGuard({ entriesMax }), RangeError);
    }
    for (const clientShareMax of [0, -1, 1.5, Number.NaN]) {
      assert.throws(() => new MemoryReplayGuard({ clientShareMax }), RangeError);
      assert.throws(() => new MemoryReplayGuard({ accountShareMax: clientShareMax }), RangeError);
    }
  });

  test('a full guard refuses what is new, says when to come again, and forgets nothing', () => {
    const clocked = new Clocked({ entriesMax: 3, clientShareMax: 1 });
    for (const name of ['one', 'two', 'three']) assert.equal(clocked.outcome(signature(name)), 'accepted');
    const refusal = clocked.use(signature('four', { keyid: 'other' }));
    assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['guard_full', 10]);
    assert.match(refusal?.reason ?? '', /guard is full/);
    for (const name of ['one', 'two', 'three']) {
      assert.equal(clocked.outcome(signature(name)), 'signature_replayed');
    }
    assert.equal(clocked.guard.size, 3);
  });

  test('a full guard still knows an equal read', () => {
    const clocked = new Clocked({ entriesMax: 1, clientShareMax: 1 });
    clocked.use(signature('read', { isSafe: true }));
    assert.equal(clocked.outcome(signature('read', { isSafe: true })), 'accepted');
  });

  test('the clients of an account fill its share together and no more; other accounts go on', () => {
    const clocked = new Clocked({ entriesMax: 8 });
    const owned = (name: string, client: string, accountId?: string): UsedSignature =>
      signature(name, { keyid: client, accountId });
    for (const name of ['one', 'two']) assert.equal(clocked.outcome(owned(name, 'a', 'first')), 'accepted');
    assert.match(clocked.use(owned('three', 'a', 'first'))?.reason ?? '', /this client has used up/);
    for (const name of ['three', 'four'])
      assert.equal(clocked.outcome(owned(name, 'b', 'first')), 'accepted');
    const refusal = clocked.use(owned('five', 'c', 'first'));
    assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['guard_full', 10]);
    assert.match(refusal?.reason ?? '', /this account has used up/);
    assert.equal(clocked.outcome(owned('six', 'd', 'second')), 'accepted');
    assert.equal(clocked.outcome(owned('seven', 'e')), 'accepted');

    // A restart keeps the shares, and time gives them back.
    const next = clocked.restarted({ entriesMax: 8 });
    assert.equal(next.outcome(owned('eight', 'c', 'first')), 'guard_full');
    assert.equal(next.outcome(owned('eight', 'd', 'second')), 'accepted');
    next.pass(windowSeconds + 1);
    for (const name of ['nine', 'ten'])
      assert.equal(
        next.outcome({ ...owned(name, 'a', 'first'), created: noon + windowSeconds + 1 }),
        'accepted',
      );
    assert.equal(
      next.outcome({ ...owned('eleven', 'c', 'first'), created: noon + windowSeconds + 1 }),
      'accepted',
    );
  });

  test('one client fills its share and no more; the others go on', () => {
    const clocked = new Clocked({ entriesMax: 8 });
    assert.equal(clocked.outcome(signature('one')), 'accepted');
    assert.equal(clocked.outcome(signature('two')), 'accepted');
    const refusal = clocked.use(signature('three'));
    assert.equal(refusal?.code, 'guard_full');
    assert.match(refusal?.reason ?? '', /share/);
    assert.equal(clocked.outcome(signature('four', { keyid: 'other' })), 'accepted');
    assert.equal(clocked.outcome(signature('one')), 'signature_replayed');
  });

  test('the smallest guard still lets one signature pass', () => {
    const clocked = new Clocked({ entriesMax: 1 });
    assert.equal(clocked.outcome(signature('one')), 'accepted');
    assert.equal(clocked.outcome(signature('two', { keyid: 'other' })), 'guard_full');
  });

  test('what has expired makes room again, for the client too', () => {
    const clocked = new Clocked({ entriesMax: 8 });
    clocked.use(signature('one'));
    clocked.use(signature('two'));
    clocked.pass(windowSeconds + 1);
    const created = noon + windowSeconds + 1;
    assert.equal(clocked.outcome(signature('three', { created })), 'accepted');
    assert.equal(clocked.outcome(signature('four', { created })), 'accepted');
    assert.equal(clocked.outcome(signature('five', { created })), 'guard_full');
    assert.equal(clocked.guard.size, 2);
  });

  test('holds a million by default, a quarter of it for one client', () => {
    const { guard } = new Clocked();
    const many = (from: number, count: number, keyid: string): number => {
      let accepted = 0;
      for (let number = from; number < from + count; number++) {
        if (guard.use({ id: number.toString(36), keyid, created: noon, isSafe: false }, noon) === undefined) {
          accepted++;
        }
      }
      return accepted;
    };
    for (const [index, keyid] of ['one', 'two', 'three', 'four'].entries())
      assert.equal(many(index * 1_000_000, 250_002, keyid), 250_000);
    assert.equal(many(4_000_000, 2, 'five'), 0);
    assert.equal(guard.size, 1_000_000);
  });
});

describe('forgetting', () => {
  const late = signature('late', { created: noon + 60 });

  test('an entry outlives the last moment at which its signature is timely', () => {
    const clocked = new Clocked();
    clocked.use(late);
    clocked.pass(windowSeconds + 60.999);
    assert.equal(clocked.outcome(late), 'signature_replayed');
    assert.equal(clocked.guard.size, 1);
  });

  test('an entry is gone one second after its signature has expired, and its second is refused from then on', () => {
    const clocked = new Clocked();
    clocked.use(late);
    clocked.pass(windowSeconds + 61);
    const fresh = noon + windowSeconds + 61;
    assert.equal(clocked.outcome(signature('fresh', { created: fresh })), 'accepted');
    assert.equal(clocked.guard.size, 1);
    assert.equal(clocked.guard.horizonSeconds, noon + 60);
    clocked.jump(-100);
    const refusal = clocked.use(late);
    assert.equal(refusal?.code, 'recently_restarted');
    assert.equal(clocked.outcome(signature('never used', { created: noon + 60 })), 'recently_restarted');
    assert.equal(clocked.outcome(signature('a second later', { created: noon + 61 })), 'accepted');
  });

  test('a wall clock that jumps ahead makes nothing forgotten', () => {
    const clocked = new Clocked();
    clocked.use(signature('one'));
    clocked.jump(3600);
    clocked.pass(2);
    clocked.use(signature('in the false hour', { created: noon + 3602 }));
    assert.equal(clocked.guard.size, 2);
    clocked.jump(-3600);
    assert.equal(clocked.outcome(signature('one')), 'signature_replayed');
  });

  test('a wall clock that jumps ahead and returns does not make the guard refuse honest signatures', () => {
    const clocked = new Clocked();
    clocked.jump(3600);
    const false1 = signature('in the false hour', { created: noon + 3600 });
    clocked.use(false1);
    clocked.jump(-3600);
    clocked.pass(windowSeconds + 10);
    assert.equal(clocked.outcome(signature('honest', { created: noon + windowSeconds + 10 })), 'accepted');
    clocked.pass(3600 - windowSeconds);
    assert.equal(clocked.outcome(false1), 'signature_replayed');
  });

  test('a wall clock that goes back keeps an entry for as long as its signature is timely', () => {
    const clocked = new Clocked();
    clocked.use(signature('one'));
    clocked.pass(10);
    clocked.jump(-600);
    clocked.pass(590 + windowSeconds - 1);
    assert.equal(clocked.outcome(signature('one')), 'signature_replayed');
  });

  test('an entry lives to the last second of its window by the slower of the two clocks', () => {
    const slowWall = new Clocked();
    slowWall.use(signature('one'));
    slowWall.jump(-1);
    slowWall.pass(windowSeconds + 1);
    assert.equal(slowWall.outcome(signature('one')), 'signature_replayed');
    assert.equal(slowWall.outcome(signature('two')), 'accepted');

    const fastWall = new Clocked();
    fastWall.use(signature('one'));
    fastWall.pass(windowSeconds + 0.5);
    fastWall.jump(3600);
    fastWall.use(signature('in the false hour', { created: noon + windowSeconds + 3600 }));
    fastWall.jump(-3600);
    assert.equal(fastWall.outcome(signature('one')), 'signature_replayed');
  });

  test('the latest of the forgotten seconds counts, in whatever order they came', () => {
    const clocked = new Clocked();
    clocked.use(late);
    clocked.use(signature('one'));
    clocked.pass(windowSeconds + 100);
    clocked.use(signature('fresh', { created: noon + windowSeconds + 100 }));
    assert.deepEqual([clocked.guard.size, clocked.guard.horizonSeconds], [1, noon + 60]);
  });

  test('with steady traffic it holds the window and no more', () => {
    const clocked = new Clocked();
    for (let second = 0; second < 2000; second++) {
      const created = noon + second;
      assert.equal(clocked.outcome(signature(`number ${second}`, { created })), 'accepted');
      assert.ok(clocked.guard.size <= windowSeconds + 2, `${clocked.guard.size} entries`);
      clocked.pass(1);
    }
  });
});

describe('horizon', () => {
  test('signatures up to it are refused with the time to wait, later ones pass', () => {
    const clocked = new Clocked({ horizonSeconds: noon + 5 });
    for (const [created, isSafe] of [
      [noon - 300, false],
      [noon, true],
      [noon + 5, false],
    ] as const) {
      const refusal = clocked.use(signature('early', { created, isSafe }));
      assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['recently_restarted', 6]);
    }
    assert.equal(clocked.guard.size, 0);
    assert.equal(clocked.outcome(signature('first', { created: noon + 6 })), 'accepted');
  });

  test('the time to wait is never less than a second, and just long enough', () => {
    const clocked = new Clocked({ horizonSeconds: noon });
    clocked.pass(100);
    assert.equal(clocked.use(signature('early'))?.retryAfterSeconds, 1);

    const waiting = new Clocked({ horizonSeconds: noon + 20 });
    waiting.clock.wallSeconds += 0.999;
    const seconds = waiting.use(signature('early'))?.retryAfterSeconds ?? 0;
    waiting.pass(seconds);
    const created = Math.floor(waiting.clock.wallSeconds);
    assert.equal(
      waiting.outcome(signature('the second before', { created: created - 1 })),
      'recently_restarted',
    );
    assert.equal(waiting.outcome(signature('newly signed', { created })), 'accepted');
  });
});

describe('what one guard hands to the next', () => {
  test('is refused by it, safe or not', () => {
    const first = new Clocked();
    const write = signature('write');
    const read = signature('read', { isSafe: true });
    first.use(write);
    first.use(read);
    const next = first.restarted();
    assert.equal(next.guard.size, 2);
    assert.equal(next.outcome(write), 'signature_replayed');
    assert.equal(next.outcome(read), 'signature_replayed');
    assert.equal(next.outcome(signature('new')), 'accepted');
  });

  test('expires there as it would have done before', () => {
    const first = new Clocked();
    first.use(signature('one'));
    first.pass(200);
    const next = first.restarted();
    next.pass(100);
    assert.equal(next.outcome(signature('one')), 'signature_replayed');
    next.pass(1);
    next.use(signature('fresh', { created: noon + 301 }));
    assert.equal(next.guard.size, 1);
    assert.equal(next.guard.horizonSeconds, noon);
  });

  test('includes how much of its share each client has used', () => {
    const first = new Clocked({ entriesMax: 4 });
    first.use(signature('one'));
    first.use(signature('two', { created: noon + 1 }));
    const next = first.restarted({ entriesMax: 4 });
    assert.equal(next.outcome(signature('three')), 'guard_full');
    assert.equal(next.outcome(signature('four', { keyid: 'other' })), 'accepted');
    next.pass(windowSeconds + 1);
    assert.equal(next.outcome(signature('five', { created: noon + 301 })), 'accepted');
  });

  test('is kept when it is more than fits', () => {
    const first = new Clocked();
    for (const name of ['one', 'two', 'three']) first.use(signature(name, { keyid: name }));
    const next = first.restarted({ entriesMax: 2 });
    assert.equal(next.guard.size, 3);
    assert.equal(next.outcome(signature('four', { keyid: 'four' })), 'guard_full');
    assert.equal(next.outcome(signature('one')), 'signature_replayed');
  });

  test('counts once when it is handed over twice', () => {
    const first = new Clocked();
    first.use(signature('one'));
    const next = first.restarted();
    next.guard.restore([...first.guard.remembered()], noon);
    assert.equal(next.guard.size, 1);
    next.pass(windowSeconds + 1);
    next.use(signature('fresh', { created: noon + 301 }));
    assert.equal(next.guard.size, 1);
  });
});

/** One step of a random history. */
type Step =
  | {
      readonly kind: 'new';
      readonly createdOffset: number;
      readonly isSafe: boolean;
      readonly client: number;
    }
  | { readonly kind: 'again'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'jump'; readonly seconds: number }
  | { readonly kind: 'restart' };

const newSignature = fc.record({
  kind: fc.constant('new' as const),
  createdOffset: fc.integer({ min: -300, max: 60 }),
  isSafe: fc.boolean(),
  client: fc.integer({ min: 0, max: 3 }),
});
const again = fc.record({ kind: fc.constant('again' as const), which: fc.nat() });
const passing = (ms: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  ms.map((value) => ({ kind: 'pass', ms: value }));
const jump = fc
  .oneof(fc.integer({ min: -700, max: 700 }), fc.constantFrom(-3600, 3600, -361, 361))
  .map((seconds): Step => ({ kind: 'jump', seconds }));
const restart = fc.constant<Step>({ kind: 'restart' });

/** What a guard would know that forgets nothing. */
interface Use extends UsedSignature {
  /** Negative infinity when it was in an earlier life. */
  firstUsedMs: number;
}

describe('random histories', () => {
  test('whatever the clocks do, nothing passes twice but an equal read within 2 s, and no honest signature suffers', () => {
    const anyClock = fc.array(
      fc.oneof(
        { weight: 5, arbitrary: newSignature },
        { weight: 8, arbitrary: again },
        { weight: 3, arbitrary: passing(fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.nat(400_000))) },
        { weight: 2, arbitrary: jump },
        { weight: 1, arbitrary: restart },
      ),
      { maxLength: 80 },
    );
    const repeats = fc.constantFrom<RepeatPolicy>('equal-reads', 'strict', 'unsafe-only');
    fc.assert(
      fc.property(anyClock, repeats, fc.integer({ min: 1, max: 30 }), (steps, repeat, entriesMax) => {
        let clocked = new Clocked({ repeat, entriesMax });
        let latestWallSeconds = noon;
        const uses = new Map<string, Use>();
        const pool: UsedSignature[] = [];
        const present = (used: UsedSignature): void => {
          const wallSeconds = Math.floor(clocked.clock.wallSeconds);
          // Check 7 comes before the guard.
          if (used.created < wallSeconds - 300 || used.created > wallSeconds + 60) return;
          const code = clocked.use(used)?.code;
          const first = uses.get(used.id);
          const mayPassAgain =
            used.isSafe &&
            (repeat === 'unsafe-only' ||
              (repeat === 'equal-reads' && clocked.clock.monotonicMs - (first?.firstUsedMs ?? 0) <= 2000));
          if (code === undefined) assert.ok(first === undefined || mayPassAgain, `${used.id} passed twice`);
          if (first !== undefined && mayPassAgain) assert.equal(code, undefined, 'an equal read is refused');
          if (first === undefined && code === 'signature_replayed')
            assert.fail(`${used.id} was not used before`);
          // Only what is older than the window by the latest time that the wall clock has shown may be unknown.
          if (code === 'recently_restarted') assert.ok(used.created < latestWallSeconds - 300);
          if (code === undefined && first === undefined) {
            uses.set(used.id, { ...used, firstUsedMs: clocked.clock.monotonicMs });
          }
        };
        for (const step of steps) {
          switch (step.kind) {
            case 'new':
              pool.push(
                signature(`${pool.length}`, {
                  created: Math.floor(clocked.clock.wallSeconds) + step.createdOffset,
                  isSafe: step.isSafe,
                  keyid: `client ${step.client}`,
                }),
              );
              present(pool.at(-1)!);
              break;
            case 'again':
              if (pool.length > 0) present(pool[step.which % pool.length]!);
              break;
            case 'pass':
              clocked.pass(step.ms / 1000);
              break;
            case 'jump':
              clocked.jump(step.seconds);
              break;
            case 'restart':
              clocked = clocked.restarted({ repeat, entriesMax });
              for (const used of uses.values()) used.firstUsedMs = Number.NEGATIVE_INFINITY;
              break;
          }
          latestWallSeconds = Math.max(latestWallSeconds, Math.floor(clocked.clock.wallSeconds));
          assert.ok(clocked.guard.size <= entriesMax, `${clocked.guard.size} entries`);
        }
      }),
      { numRuns: 1500 },
    );
  });

  test('with a steady clock it answers exactly as one that keeps a list of everything', () => {
    const steady = fc.array(
      fc.oneof(
        { weight: 5, arbitrary: newSignature },
        { weight: 5, arbitrary: again },
        { weight: 4, arbitrary: passing(fc.integer({ min: 1, max: 200 }).map((seconds) => seconds * 1000)) },
        { weight: 1, arbitrary: restart },
      ),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(steady, fc.integer({ min: 1, max: 12 }), (steps, entriesMax) => {
        let clocked = new Clocked({ entriesMax });
        let uses: Use[] = [];
        const pool: UsedSignature[] = [];
        const expected = (used: UsedSignature): string => {
          const { wallSeconds, monotonicMs } = clocked.clock;
          const first = uses.find(({ id }) => id === used.id);
          if (first && used.isSafe && monotonicMs - first.firstUsedMs <= 2000) return 'accepted';
          if (first) return 'signature_replayed';
          uses = uses.filter(({ created }) => created >= wallSeconds - 300);
          const ofClient = uses.filter(({ keyid }) => keyid === used.keyid).length;
          const { accountId } = used;
          const ofAccount =
            accountId === undefined ? -1 : uses.filter((use) => use.accountId === accountId).length;
          const isFull =
            uses.length >= entriesMax ||
            ofClient >= Math.max(1, Math.floor(entriesMax / 4)) ||
            ofAccount >= Math.max(1, Math.floor(entriesMax / 2));
          if (isFull) return 'guard_full';
          uses.push({ ...used, firstUsedMs: monotonicMs });
          return 'accepted';
        };
        for (const step of steps) {
          if (step.kind === 'pass') clocked.pass(step.ms / 1000);
          if (step.kind === 'restart') {
            clocked = clocked.restarted({ entriesMax });
            for (const use of uses) use.firstUsedMs = Number.NEGATIVE_INFINITY;
          }
          if (step.kind === 'new') {
            const created = clocked.clock.wallSeconds + step.createdOffset;
            const accountId = ['shared', 'shared', 'shared', undefined][step.client];
            const client = { keyid: `client ${step.client}`, accountId };
            pool.push(signature(`${pool.length}`, { ...step, created, ...client }));
          }
          if (step.kind === 'new' || step.kind === 'again') {
            const used = step.kind === 'new' ? pool.at(-1) : pool[step.which % Math.max(1, pool.length)];
            if (used === undefined || used.created < clocked.clock.wallSeconds - 300) continue;
            assert.equal(clocked.outcome(used), expected(used));
          }
        }
      }),
      { numRuns: 1500 },
    );
  });
});

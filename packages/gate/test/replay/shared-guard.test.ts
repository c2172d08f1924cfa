import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import {
  MemoryReplayGuard,
  type Refusal,
  type RepeatPolicy,
  type UsedSignature,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import fc from 'fast-check';
import {
  PersistentSharedGuard,
  type PersistentSharedGuardOptions,
} from '../../src/replay/persistent-shared-guard.ts';
import { type SharedGuardMeans, SharedReplayGuard } from '../../src/replay/shared-guard.ts';
import { hashBytes } from '../../src/replay/shared-hash.ts';
import { createdOf, makeSharedMemory, partsOf, threadStride } from '../../src/replay/shared-memory.ts';
import { type NewEntry, SharedTable } from '../../src/replay/shared-table.ts';
import { SharedUpkeep } from '../../src/replay/shared-upkeep.ts';

const noon = 1_800_000_000;
const windowSeconds = 300;
const left: (() => void)[] = [];
afterEach(closeAll);

/** The last opened first: the folder itself at the end. */
function closeAll(): void {
  for (const close of left.splice(0).toReversed()) close();
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shared-guard-'));
  left.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The folder as a crash leaves it now. */
function copyOf(folder: string): string {
  const copy = makeFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

type Options = Partial<PersistentSharedGuardOptions>;

/** A guard with clocks that a test sets, and the views of other threads on it. */
class Clocked {
  readonly folder: string;
  readonly clock: { wallSeconds: number; monotonicMs: number };
  readonly options: Options;
  readonly guard: PersistentSharedGuard;

  constructor(
    options: Options = {},
    clock = { wallSeconds: noon, monotonicMs: 5000 },
    folder = makeFolder(),
  ) {
    this.clock = clock;
    this.folder = folder;
    this.options = options;
    this.guard = new PersistentSharedGuard(folder, {
      nowMs: () => clock.wallSeconds * 1000,
      monotonicMs: () => clock.monotonicMs,
      ...options,
    });
    left.push(() => this.guard.close());
  }

  /** Another thread's view. */
  thread(
    number: number,
    reserve: SharedGuardMeans['reserve'] = (created, now) => this.guard.reserve(created, now),
  ): Clocked['guard'] {
    const { memory } = this.guard;
    const monotonicMs = (): number => this.clock.monotonicMs;
    const means = { memory, thread: number, monotonicMs, reserve };
    return new SharedReplayGuard(means, this.options) as unknown as Clocked['guard'];
  }

  /** Lets the same time pass on both clocks. */
  pass(seconds: number): void {
    this.clock.monotonicMs += seconds * 1000;
    this.jump(seconds);
  }

  jump(seconds: number): void {
    this.clock.wallSeconds += seconds;
    this.guard.tend();
  }

  /** The code of the rejection, or `accepted`. */
  outcome(used: UsedSignature, guard: Pick<Clocked['guard'], 'use'> = this.guard): string {
    const refusal = guard.use(used, Math.floor(this.clock.wallSeconds));
    assert.ok(!(refusal instanceof Promise));
    return refusal?.code ?? 'accepted';
  }
}

function signature(name: string, more: Partial<UsedSignature> = {}): UsedSignature {
  return { id: name.padEnd(16, '.'), keyid: 'client', created: noon, isSafe: false, ...more };
}

describe('a guard that threads share', () => {
  const policies: readonly (readonly [RepeatPolicy, isSafe: boolean, afterMs: number, outcome: string])[] = [
    ['equal-reads', false, 0, 'signature_replayed'],
    ['equal-reads', true, 2001, 'signature_replayed'],
    ['equal-reads', true, 299_000, 'signature_replayed'],
    ['strict', true, 0, 'signature_replayed'],
    ['unsafe-only', false, 299_000, 'signature_replayed'],
    ['equal-reads', true, 2000, 'accepted'],
    ['unsafe-only', true, 299_000, 'accepted'],
  ];
  for (const [repeat, isSafe, afterMs, outcome] of policies) {
    test(`${repeat}: ${isSafe ? 'safe' : 'unsafe'}, in another thread after ${afterMs} ms: ${outcome}`, () => {
      const clocked = new Clocked({ repeat });
      assert.equal(clocked.outcome(signature('one', { isSafe }), clocked.thread(1)), 'accepted');
      clocked.pass(afterMs / 1000);
      assert.equal(clocked.outcome(signature('one', { isSafe }), clocked.thread(2)), outcome);
    });
  }

  test('decides as the guard of one thread, whatever comes', () => {
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          name: fc.integer({ min: 0, max: 3 }),
          ago: fc.integer({ min: -60, max: 700 }),
          isSafe: fc.boolean(),
          client: fc.integer({ min: 0, max: 2 }),
          thread: fc.integer({ min: 0, max: 3 }),
        }),
      },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 150 }) },
    );
    // Reaches each outcome; random steps alone fill the guard in most runs, not in all.
    const sent = { name: 0, ago: 0, isSafe: false, client: 0, thread: 0 };
    const eachOutcome = [
      ...[0, 0, 1, 2, 3].map((name, thread) => ({ ...sent, name, thread: thread % 4 })),
      { ...sent, ago: -60 },
      150,
      150,
      150,
      { ...sent, ago: 700 },
    ];
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const options = { entriesMax: 8, clientShareMax: 0.5, accountShareMax: 0.75 };
        const clocked = new Clocked(options);
        const { clock } = clocked;
        const memory = new MemoryReplayGuard({ ...options, monotonicMs: () => clock.monotonicMs });
        const threads = [0, 1, 2, 3].map((number) => clocked.thread(number));
        for (const one of steps) {
          if (typeof one === 'number') {
            clocked.pass(one);
            continue;
          }
          // The second in which a signature was created is part of the signed text.
          const created = Math.ceil((clock.wallSeconds - one.ago) / 100) * 100;
          const used = signature(`${one.name} ${created}`, {
            ...one,
            keyid: `client ${one.client}`,
            accountId: one.client < 2 ? 'shared' : undefined,
            created,
          });
          const expected = memory.use(used, clock.wallSeconds)?.code ?? 'accepted';
          seen.add(expected);
          assert.equal(clocked.outcome(used, threads[one.thread]), expected);
          assert.equal(clocked.guard.size, memory.size);
        }
        closeAll();
      }),
      { numRuns: 300, examples: [[eachOutcome]] },
    );
    assert.deepEqual([...seen].toSorted(), [
      'accepted',
      'guard_full',
      'recently_restarted',
      'signature_replayed',
    ]);
  });

  test('finds each of many signatures again, and no other one', () => {
    const clocked = new Clocked({ entriesMax: 40_000, clientShareMax: 1 });
    const names = Array.from({ length: 40_000 }, (_, index) => signature(String(index)));
    for (const used of names) assert.equal(clocked.outcome(used), 'accepted');
    assert.equal(clocked.outcome(signature('one more')), 'guard_full');
    for (const used of names) assert.equal(clocked.outcome(used), 'signature_replayed');
    assert.equal(clocked.guard.size, 40_000);
  });

  test('has room for as many again once they have expired', async () => {
    const clocked = new Clocked({ entriesMax: 20_000, clientShareMax: 1 });
    for (let round = 0; round < 5; round++) {
      const created = Math.floor(clocked.clock.wallSeconds);
      for (let index = 0; index < 20_000; index++)
        assert.equal(clocked.outcome(signature(`${round} ${index}`, { created })), 'accepted');
      assert.equal(clocked.outcome(signature('one more', { created })), 'guard_full');
      clocked.pass(windowSeconds + 2);
      // It forgets in several turns, so that no other work waits.
      while (clocked.guard.size > 0) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(clocked.outcome(signature(`${round} 0`, { created })), 'recently_restarted');
    }
  });

  test('forgets nothing while the wall clock is ahead for a moment', () => {
    const clocked = new Clocked();
    assert.equal(clocked.outcome(signature('one')), 'accepted');
    clocked.jump(3600);
    clocked.jump(-3600);
    assert.equal(clocked.outcome(signature('one')), 'signature_replayed');
  });

  test('refuses what it has forgotten when the wall clock goes back', () => {
    const clocked = new Clocked();
    assert.equal(clocked.outcome(signature('one')), 'accepted');
    clocked.pass(windowSeconds + 2);
    assert.equal(clocked.guard.size, 0);
    clocked.jump(-windowSeconds - 2);
    assert.equal(clocked.outcome(signature('one')), 'recently_restarted');
    assert.equal(clocked.outcome(signature('two', { created: noon + 1 })), 'accepted');
  });

  test('limits each client in all threads together, however long its name is', () => {
    const clocked = new Clocked({ entriesMax: 16 });
    for (const keyid of ['one', 'x'.repeat(256)]) {
      for (const thread of [0, 1, 2, 3]) {
        const used = signature(`${keyid.length} ${thread}`, { keyid });
        assert.equal(clocked.outcome(used, clocked.thread(thread)), thread < 4 ? 'accepted' : 'guard_full');
      }
    }
    assert.equal(clocked.outcome(signature('more', { keyid: 'one' })), 'guard_full');
  });

  test('refuses a second that it has no place for', () => {
    const clocked = new Clocked();
    assert.equal(clocked.outcome(signature('one', { created: 2 ** 50 })), 'guard_unavailable');
  });
});

describe('a thread that is interrupted', () => {
  const limits = { clientEntriesMax: 1000, accountEntriesMax: 1000 };
  const expiresAt = 10;
  const nowMs = (expiresAt + 1) * 1000;
  const one: NewEntry = {
    id: 'one'.padEnd(16, '.'),
    client: 'client',
    account: 'account',
    second: 5,
    expiresAt,
  };

  /** A table, as two threads and its upkeep see it. */
  function openTable() {
    const memory = makeSharedMemory(1000);
    const upkeep = new SharedUpkeep(memory);
    return {
      memory,
      insert: (entry: NewEntry) => new SharedTable(memory, 1, limits).insert(entry, 0),
      other: new SharedTable(memory, 2, limits),
      forget: () => void upkeep.forget(nowMs, createdOf(one.second) + 1),
    };
  }

  /** The entry, with something that happens when the table reads one of its parts. */
  function interrupted(part: 'id' | 'client', happens: () => void): NewEntry {
    const entry = { ...one };
    let hasHappened = false;
    Object.defineProperty(entry, part, {
      get() {
        if (!hasHappened) {
          hasHappened = true;
          happens();
        }
        return one[part];
      },
    });
    return entry;
  }

  test('after its look, by a thread that inserts the same: one of them does', () => {
    const { insert, other } = openTable();
    let outcome: unknown;
    const entry = interrupted('client', () => (outcome ??= other.insert(one, 0)));
    assert.equal(insert(entry), 0);
    assert.equal(outcome, 'fresh');
  });

  test('before its look, by the removal of the entry that it looks for: nothing is accepted', () => {
    const { insert, other, forget } = openTable();
    assert.equal(other.insert(one, 0), 'fresh');
    assert.equal(insert(interrupted('id', forget)), 'forgotten');
    // An entry that it inserted meanwhile does not count as a recent first use, for reads that may be repeated.
    assert.equal(other.insert(one, 0), Number.POSITIVE_INFINITY);
  });

  test('after its look, by the closing of the guard: nothing is accepted', () => {
    const { memory, insert } = openTable();
    assert.equal(insert(interrupted('client', () => new SharedUpkeep(memory).close())), 'closed');
  });

  test('after its look, by a removal: the removed node does not come back in the same place', () => {
    const { memory, insert, other, forget } = openTable();
    const chainOf = (id: string): number =>
      hashBytes(Buffer.from(id, 'latin1'), 0, 16, memory.secret, partsOf(memory).headBits);
    const ids = Array.from({ length: 100_000 }, (_, index) => String(index).padEnd(16, '-'));
    const neighbour = ids.find((id) => chainOf(id) === chainOf(one.id))!;
    const later = { ...one, second: one.second + 1, expiresAt: expiresAt + 100 };
    assert.equal(other.insert({ ...one, id: neighbour }, 0), 'fresh');
    const entry = interrupted('client', () => {
      forget();
      forget();
      // Would take the removed node, if it were free, and be the head again that the first thread has seen.
      assert.equal(other.insert(later, 0), 'fresh');
    });
    assert.equal(
      insert({
        ...later,
        get client() {
          return entry.client;
        },
      }),
      0,
    );
  });

  test('for good: what others insert is found, and nodes become free once it is let go', () => {
    const memory = makeSharedMemory(1);
    const upkeep = new SharedUpkeep(memory);
    const table = new SharedTable(memory, 2, limits);
    const parts = partsOf(memory);
    // A thread that ended inside.
    Atomics.add(parts.threads, threadStride, 1);
    const insertAndForget = (round: number): unknown => {
      const entry = { ...one, id: String(round).padEnd(16), second: round };
      const outcome = table.insert(entry, 0);
      assert.notEqual(outcome === 'fresh' && table.insert(entry, 0), 'fresh');
      upkeep.forget(nowMs, createdOf(round) + 1);
      return outcome;
    };
    assert.equal(insertAndForget(1), 'fresh');
    assert.equal(insertAndForget(2), 'fresh');
    assert.equal(insertAndForget(3), 'full');
    upkeep.release(1);
    upkeep.forget(nowMs, createdOf(2) + 1);
    for (let round = 4; round < 10_000; round++) assert.equal(insertAndForget(round), 'fresh');
  });
});

describe('after a restart', () => {
  test('a clean one remembers everything, and the share of each client', () => {
    const before = new Clocked({ entriesMax: 16 });
    for (const name of ['a', 'b', 'c'])
      assert.equal(before.outcome(signature(name, { isSafe: true }), before.thread(1)), 'accepted');
    before.guard.close();
    assert.equal(before.outcome(signature('d')), 'guard_unavailable');
    assert.equal(before.outcome(signature('d'), before.thread(1)), 'guard_unavailable');
    const after = new Clocked({ entriesMax: 16 }, before.clock, before.folder);
    assert.equal(after.guard.guardId, before.guard.guardId);
    assert.equal(after.outcome(signature('a', { isSafe: true })), 'signature_replayed');
    assert.equal(after.outcome(signature('d')), 'accepted');
    assert.equal(after.outcome(signature('e')), 'guard_full');
  });

  test('after a crash, what may have been used is refused, and the next second is not', () => {
    const before = new Clocked();
    assert.equal(before.outcome(signature('a'), before.thread(1)), 'accepted');
    const after = new Clocked({}, before.clock, copyOf(before.folder));
    assert.equal(after.outcome(signature('a')), 'recently_restarted');
    assert.equal(after.outcome(signature('b', { created: noon + 2 })), 'recently_restarted');
    assert.equal(after.outcome(signature('c', { created: noon + 3 })), 'accepted');
  });

  test('the shares of a client and of its account, however long their names are', () => {
    for (const name of ['short', 'long'.repeat(20)]) {
      const before = new Clocked({ entriesMax: 8 });
      const owned = (id: string, client: string): UsedSignature =>
        signature(id, { keyid: `${client} ${name}`, accountId: name });
      for (const id of ['a', 'b']) assert.equal(before.outcome(owned(id, 'one')), 'accepted');
      for (const id of ['c', 'd']) assert.equal(before.outcome(owned(id, 'two')), 'accepted');
      before.guard.close();
      const after = new Clocked({ entriesMax: 8 }, before.clock, before.folder);
      const reason = (used: UsedSignature): string | undefined =>
        (after.guard.use(used, after.clock.wallSeconds) as Refusal | undefined)?.reason;
      assert.equal(reason(owned('e', 'one')), 'this client has used up its share of the replay guard');
      assert.equal(reason(owned('e', 'three')), 'this account has used up its share of the replay guard');
      assert.equal(reason(signature('e', { keyid: 'other', accountId: 'other' })), undefined);
    }
  });

  test('what no longer fits is refused, and nothing of it passes', () => {
    const before = new Clocked({ entriesMax: 2000, clientShareMax: 1 });
    const names = Array.from({ length: 2000 }, (_, index) => signature(String(index)));
    for (const used of names) assert.equal(before.outcome(used), 'accepted');
    before.guard.close();
    const after = new Clocked({ entriesMax: 10, clientShareMax: 1 }, before.clock, before.folder);
    for (const used of names) assert.notEqual(after.outcome(used), 'accepted');
  });
});

describe('the seconds that a restart must know', () => {
  test('are asked for once, and a thread waits for the answer', async () => {
    const clocked = new Clocked();
    const asked: number[] = [];
    let isWritable = false;
    const thread = new SharedReplayGuard({
      memory: clocked.guard.memory,
      thread: 1,
      monotonicMs: () => clocked.clock.monotonicMs,
      reserve: async (created, nowSeconds) => {
        asked.push(created);
        return isWritable
          ? clocked.guard.reserve(created, nowSeconds)
          : refuse('guard_unavailable', 'full disk');
      },
    });
    assert.equal((await thread.use(signature('one'), noon))?.code, 'guard_unavailable');
    isWritable = true;
    assert.equal(await thread.use(signature('one'), noon), undefined);
    assert.equal((await thread.use(signature('one'), noon))?.code, 'signature_replayed');
    assert.deepEqual(asked, [noon, noon]);
  });

  test('an answer that reserved nothing counts as none', () => {
    const clocked = new Clocked();
    assert.equal(
      clocked.outcome(
        signature('one'),
        clocked.thread(1, () => undefined),
      ),
      'guard_unavailable',
    );
  });
});

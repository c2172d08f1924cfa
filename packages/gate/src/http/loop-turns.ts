/** Kinds of work that are long enough to be done in steps. */
const kinds = ['bodies', 'keys', 'rows', 'transactions', 'reports', 'responses'] as const;

export type LongWork = (typeof kinds)[number];

/**
 * Resolves when the next step of some long work may run, in a later turn of the event loop.
 *
 * Only one step of all long work of this thread runs in a turn, so that other requests never wait for more than one,
 * however many requests do long work at the same time. The kinds take turns with each other, so that many long bodies
 * do not delay the examination of a key; within a kind, the first to ask is the first to continue. A step should take
 * half a millisecond.
 */
export function nextLoopTurn(kind: LongWork): Promise<void> {
  return new Promise((resolve) => {
    waiting[kind].push(resolve);
    waitingCount += 1;
    if (waitingCount === 1) setImmediate(releaseOne);
  });
}

const waiting: Readonly<Record<LongWork, (() => void)[]>> = {
  bodies: [],
  keys: [],
  rows: [],
  transactions: [],
  reports: [],
  responses: [],
};
let waitingCount = 0;
let lastKind = 0;

function releaseOne(): void {
  do lastKind = (lastKind + 1) % kinds.length;
  while (waiting[kinds[lastKind]!].length === 0);
  const release = waiting[kinds[lastKind]!].shift()!;
  waitingCount -= 1;
  if (waitingCount > 0) setImmediate(releaseOne);
  release();
}

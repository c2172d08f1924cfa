import {
  type CallCounts,
  type CallKind,
  callKinds,
  type Effect,
  type Fault,
  isEffect,
} from './failing-calls.ts';

/** How calls of each kind fail in practice. */
const effectsOf: Readonly<Record<CallKind, readonly (Effect | `${Effect}+kill`)[]>> = {
  open: ['EMFILE', 'EIO'],
  read: ['EIO'],
  write: ['half', 'half+kill', 'EIO', 'EIO+kill', 'kill'],
  sync: ['EIO', 'EIO+kill', 'ENOSPC', 'kill'],
  truncate: ['EIO'],
  rename: ['EIO', 'ENOSPC', 'kill'],
  remove: ['EIO'],
  accept: ['EMFILE', 'ECONNABORTED'],
  connect: ['ECONNREFUSED', 'ETIMEDOUT'],
  send: ['EPIPE'],
  receive: ['ETIMEDOUT'],
  print: ['EPIPE', 'EIO'],
};

/** Every fault of a scenario whose calls were counted in a run without faults, life by life. */
export function allFaults(lives: readonly CallCounts[]): readonly Fault[] {
  const kinds = Object.keys(effectsOf) as CallKind[];
  return lives.flatMap((counts, index) =>
    kinds.flatMap((kind) =>
      effectsOf[kind].flatMap((effect) =>
        Array.from({ length: counts[kind] }, (_, before) =>
          readFault(`${index + 1}/${kind}:${before + 1}:${effect}`)!,
        ),
      ),
    ),
  );
}

/** A few of them: of each kind and effect the same number, spread evenly over the lives. */
export function someFaults(faults: readonly Fault[], numberOfEach: number): readonly Fault[] {
  const sorts = Map.groupBy(faults, (fault) => nameOf({ ...fault, life: 0, position: 0 }));
  return [...sorts.values()].flatMap((same) =>
    Array.from(
      { length: Math.min(numberOfEach, same.length) },
      (_, index) => same[Math.floor(((index + 0.5) * same.length) / Math.min(numberOfEach, same.length))]!,
    ),
  );
}

/** Puts faults of different lives into the same runs: each list has at most one of a life. */
export function groupIntoRuns(faults: readonly Fault[]): readonly (readonly Fault[])[] {
  const lives = [...Map.groupBy(faults, ({ life }) => life).values()];
  const length = Math.max(0, ...lives.map((ofLife) => ofLife.length));
  return Array.from({ length }, (_, index) => lives.flatMap((ofLife) => ofLife[index] ?? []));
}

/** A fault as text: `2/write:20:EIO` in the second life, and `2/write:20:EIO+kill` if the service is killed after it. */
export function nameOf({ life, kind, position, effect, thenKill }: Fault): string {
  return `${life}/${kind}:${position}:${effect}${thenKill ? '+kill' : ''}`;
}

/** Reads the text of `nameOf`; undefined if there is no such fault. */
export function readFault(text: string): Fault | undefined {
  const [, life, name, position, effect = '', kill] =
    /^([1-9])\/(\w+):([1-9]\d*):(\w+?)(\+kill)?$/.exec(text) ?? [];
  const kind = callKinds.find((one) => one === name);
  if (kind === undefined || !isEffect(effect)) return undefined;
  return {
    life: Number(life),
    kind,
    position: Number(position),
    effect,
    ...(kill !== undefined && { thenKill: true }),
  };
}

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

/** Every fault of a scenario whose calls were counted in a run without faults. */
export function allFaults(counts: CallCounts): readonly Fault[] {
  const kinds = Object.keys(effectsOf) as CallKind[];
  return kinds.flatMap((kind) =>
    effectsOf[kind].flatMap((effect) =>
      Array.from({ length: counts[kind] }, (_, index) => readFault(`${kind}:${index + 1}:${effect}`)!),
    ),
  );
}

/** A few of them: of each kind and effect the same number, spread evenly. */
export function someFaults(faults: readonly Fault[], numberOfEach: number): readonly Fault[] {
  return [...Map.groupBy(faults, (fault) => nameOf({ ...fault, position: 0 })).values()].flatMap((same) =>
    Array.from(
      { length: Math.min(numberOfEach, same.length) },
      (_, index) => same[Math.floor(((index + 0.5) * same.length) / Math.min(numberOfEach, same.length))]!,
    ),
  );
}

/** A fault as text: `write:20:EIO`, and `write:20:EIO+kill` if the service is killed after it. */
export function nameOf({ kind, position, effect, thenKill }: Fault): string {
  return `${kind}:${position}:${effect}${thenKill ? '+kill' : ''}`;
}

/** Reads the text of `nameOf`; undefined if there is no such fault. */
export function readFault(text: string): Fault | undefined {
  const [, name, position, effect = '', kill] = /^(\w+):(\d+):(\w+?)(\+kill)?$/.exec(text) ?? [];
  const kind = callKinds.find((one) => one === name);
  if (kind === undefined || !isEffect(effect) || Number(position) === 0) return undefined;
  return { kind, position: Number(position), effect, ...(kill !== undefined && { thenKill: true }) };
}

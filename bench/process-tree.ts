import { readdirSync, readFileSync } from 'node:fs';

/** On every Linux that Node runs on. */
const millisecondsPerTick = 10;

/**
 * Returns the processor time of a process and of the processes it has started, in milliseconds, in steps of 10
 * (proc(5), `/proc/pid/stat`).
 */
export function processTreeCpuMs(processId: number): number {
  const all = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const children = new Map<number, number[]>();
  const own = new Map<number, number>();
  for (const entry of all) {
    const stat = statOf(entry);
    if (stat === undefined) continue;
    own.set(Number(entry), stat.cpuMs);
    children.set(stat.parentId, [...(children.get(stat.parentId) ?? []), Number(entry)]);
  }
  const sum = (id: number): number =>
    (own.get(id) ?? 0) + (children.get(id) ?? []).reduce((total, child) => total + sum(child), 0);
  return sum(processId);
}

/** Undefined if the process has ended. */
function statOf(entry: string): { readonly parentId: number; readonly cpuMs: number } | undefined {
  try {
    // The name of the program, in brackets, may contain spaces.
    const fields = readFileSync(`/proc/${entry}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ');
    // Including children that have ended.
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
    return { parentId: Number(fields[1]), cpuMs: ticks * millisecondsPerTick };
  } catch {
    return undefined;
  }
}

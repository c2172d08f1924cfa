import { readFileSync } from 'node:fs';

/** On every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * Returns the processor time of this process and of the child processes it has waited for, in seconds; only
 * of this process if the system does not report more (proc(5), `/proc/pid/stat`). Excludes programs that are
 * still running, or that another process waited for.
 */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + childrenSeconds();
}

function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0;
  // The name of the program, in brackets, may contain spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\)/s, '').trim().split(' ');
  const [user, system] = [Number(fields[13]), Number(fields[14])];
  return (user + system) / ticksPerSecond;
}

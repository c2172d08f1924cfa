import { readFileSync } from 'node:fs';

/** On every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * Returns the processor time that this process and the programs it has started and seen end took, in seconds; of this process
 * alone where the system does not say more (proc(5), `/proc/pid/stat`). Programs that still run, or that somebody else waited
 * for, are not in it.
 */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + childrenSeconds();
}

function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0;
  // The name of the program, in brackets, may have spaces in it.
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\)/s, '').trim().split(' ');
  const [user, system] = [Number(fields[13]), Number(fields[14])];
  return (user + system) / ticksPerSecond;
}

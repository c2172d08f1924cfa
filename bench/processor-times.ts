import { cpus } from 'node:os';

/** The total work of all cores since the machine started, in milliseconds. */
export interface ProcessorTimes {
  readonly idle: number;
  readonly total: number;
}

/** Reads the times of all cores. */
export function processorTimes(): ProcessorTimes {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (values: readonly number[]): number => values.reduce((left, right) => left + right, 0);
  return { idle: sum(times.map(({ idle }) => idle)), total: sum(times.flatMap((one) => Object.values(one))) };
}

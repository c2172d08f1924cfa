import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { benchInTurn, type BenchUpstream, type Median } from './in-turn.ts';

/** Requests per second of this tree and of another one, such as a worktree of an older commit. */
export interface VersusResult {
  readonly upstream: BenchUpstream;
  readonly herePerSecond: number;
  readonly therePerSecond: number;
  /** This tree relative to the other. */
  readonly ratio: Median;
  /** Processor time of one request, of all threads, in microseconds. */
  readonly hereCpuMicroseconds: number;
  readonly thereCpuMicroseconds: number;
  /** The same for the responding thread alone; NaN if the tree does not report it. */
  readonly hereMainMicroseconds: number;
  readonly thereMainMicroseconds: number;
}

/** Loads the service of both trees in turn. */
export async function benchVersus(
  otherTree: string,
  upstream: BenchUpstream,
  rounds: number,
  perRound: number,
): Promise<VersusResult> {
  const [here, there] = [0, 1] as const;
  const scripts = ['server.ts', pathToFileURL(join(resolve(otherTree), 'bench/server.ts')).href];
  const all = await benchInTurn(
    scripts.map((script) => [script, 'checked', upstream]),
    upstream,
    rounds,
    perRound,
  );
  return {
    upstream,
    herePerSecond: all.median(here, 'perSecond'),
    therePerSecond: all.median(there, 'perSecond'),
    ratio: all.ratio(here, there, 'perSecond'),
    hereCpuMicroseconds: all.median(here, 'cpuMicroseconds'),
    thereCpuMicroseconds: all.median(there, 'cpuMicroseconds'),
    hereMainMicroseconds: all.median(here, 'mainMicroseconds'),
    thereMainMicroseconds: all.median(there, 'mainMicroseconds'),
  };
}

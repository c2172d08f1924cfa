import { benchInTurn, type BenchUpstream, type Median } from './in-turn.ts';

/**
 * Requests per second: of the service, of the same server with bare crypto instead of the checks, and without
 * either.
 */
export interface ServiceResult {
  readonly upstream: BenchUpstream;
  readonly checkedPerSecond: number;
  readonly cryptoPerSecond: number;
  readonly uncheckedPerSecond: number;
  /** The first rate divided by the second. */
  readonly share: Median;
  /** Processor time per request of the responding thread, in microseconds. */
  readonly checkedMicroseconds: number;
  readonly cryptoMicroseconds: number;
  /** The second time divided by the first: the ratio of rates if nothing else limited them. */
  readonly shareOfTime: Median;
}

/** Loads the three servers in turn. */
export async function benchService(
  upstream: BenchUpstream,
  rounds: number,
  perRound: number,
): Promise<ServiceResult> {
  const [checked, crypto, unchecked] = [0, 1, 2] as const;
  const modes = ['checked', 'crypto', 'unchecked'];
  const all = await benchInTurn(
    modes.map((mode) => ['server.ts', mode, upstream]),
    upstream,
    rounds,
    perRound,
  );
  return {
    upstream,
    checkedPerSecond: all.median(checked, 'perSecond'),
    cryptoPerSecond: all.median(crypto, 'perSecond'),
    uncheckedPerSecond: all.median(unchecked, 'perSecond'),
    share: all.ratio(checked, crypto, 'perSecond'),
    checkedMicroseconds: all.median(checked, 'mainMicroseconds'),
    cryptoMicroseconds: all.median(crypto, 'mainMicroseconds'),
    shareOfTime: all.ratio(crypto, checked, 'mainMicroseconds'),
  };
}

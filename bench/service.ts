import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '../packages/server/test/key-pair.ts';
import { startChild } from './child.ts';
import { load } from './load.ts';
import { quantile, quartilesOf } from './paired.ts';
import { signedPayment } from './signed-payment.ts';

/** Requests per second: of the service, of the same server with bare crypto in place of the checks, and without either. */
export interface ServiceResult {
  readonly upstream: string;
  readonly checkedPerSecond: number;
  readonly cryptoPerSecond: number;
  readonly uncheckedPerSecond: number;
  /** Median over the rounds of checked relative to crypto. */
  readonly share: number;
  readonly quartiles: readonly [number, number];
}

const connections = 16;
const modes = ['checked', 'crypto', 'unchecked'] as const;
const warmUpRounds = 3;

/** Loads the three servers in turn, in short rounds, with requests signed beforehand. */
export async function benchService(
  upstream: 'payments' | 'nothing',
  rounds: number,
  perRound: number,
): Promise<ServiceResult> {
  const status = upstream === 'payments' ? 201 : 204;
  const { privateKey } = makeKeyPair();
  const signer = createSigner({ keyid: 'bench', privateKey });
  const servers = await Promise.all(
    modes.map((mode) => startChild('server.ts', [mode, upstream], { BENCH_PRIVATE_KEY: privateKey })),
  );
  const rates: number[][] = [];
  try {
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      // Signed before the clock starts, so that the load costs the sender next to nothing.
      const requests = Array.from({ length: perRound }, (_, index) =>
        signedPayment(signer, '/v1/payments', round * perRound + index),
      );
      // Each server comes first, second and third equally often.
      const order = [0, 1, 2].map((place) => (place + round) % 3);
      const rate: number[] = [];
      for (const index of order)
        rate[index] = await load(servers[index]!.port, requests, connections, status);
      if (round >= warmUpRounds) rates.push(rate);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  const column = (index: number): number[] => rates.map((rate) => rate[index]!);
  const shares = rates.map(([checkedRate, cryptoRate]) => checkedRate! / cryptoRate!);
  return {
    upstream,
    checkedPerSecond: quantile(column(0), 0.5),
    cryptoPerSecond: quantile(column(1), 0.5),
    uncheckedPerSecond: quantile(column(2), 0.5),
    share: quantile(shares, 0.5),
    quartiles: quartilesOf(shares),
  };
}

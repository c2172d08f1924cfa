import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '../packages/server/test/key-pair.ts';
import { startChild } from './child.ts';
import { load } from './load.ts';
import { quantile, quartilesOf } from './paired.ts';
import { signedPayment } from './signed-payment.ts';

/** Requests per second of this tree and of another one, such as a worktree of an older commit. */
export interface VersusResult {
  readonly upstream: string;
  readonly herePerSecond: number;
  readonly therePerSecond: number;
  /** Median over the rounds of here relative to there. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  /** Processor time of one request, of all threads, in microseconds. */
  readonly hereCpuMicroseconds: number;
  readonly thereCpuMicroseconds: number;
  /** The same of the thread that answers alone; NaN if the tree does not tell. */
  readonly hereMainMicroseconds: number;
  readonly thereMainMicroseconds: number;
}

const connections = 16;
const warmUpRounds = 3;

/** Loads the service of both trees in turn, in short rounds, with requests signed beforehand. */
export async function benchVersus(
  otherTree: string,
  upstream: 'payments' | 'nothing',
  rounds: number,
  perRound: number,
): Promise<VersusResult> {
  const status = upstream === 'payments' ? 201 : 204;
  const { privateKey } = makeKeyPair();
  const signer = createSigner({ keyid: 'bench', privateKey });
  const scripts = ['server.ts', pathToFileURL(join(resolve(otherTree), 'bench/server.ts')).href];
  const servers = await Promise.all(
    scripts.map((script) => startChild(script, ['checked', upstream], { BENCH_PRIVATE_KEY: privateKey })),
  );
  const rates: number[][] = [];
  const cpuMicroseconds: number[][] = [];
  const mainMicroseconds: number[][] = [];
  try {
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      const requests = Array.from({ length: perRound }, (_, index) =>
        signedPayment(signer, '/v1/payments', round * perRound + index),
      );
      const rate: number[] = [];
      const cpu: number[] = [];
      const main: number[] = [];
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const server = servers[index]!;
        const before = await server.usage();
        rate[index] = await load(server.port, requests, connections, status);
        const after = await server.usage();
        cpu[index] = ((after.cpuMs - before.cpuMs) * 1000) / perRound;
        main[index] = (((after.mainCpuMs ?? Number.NaN) - (before.mainCpuMs ?? 0)) * 1000) / perRound;
      }
      if (round < warmUpRounds) continue;
      rates.push(rate);
      cpuMicroseconds.push(cpu);
      mainMicroseconds.push(main);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  const median = (table: readonly number[][], index: number): number =>
    quantile(
      table.map((one) => one[index]!),
      0.5,
    );
  const ratios = rates.map(([here, there]) => here! / there!);
  return {
    upstream,
    herePerSecond: median(rates, 0),
    therePerSecond: median(rates, 1),
    ratio: quantile(ratios, 0.5),
    quartiles: quartilesOf(ratios),
    hereCpuMicroseconds: median(cpuMicroseconds, 0),
    thereCpuMicroseconds: median(cpuMicroseconds, 1),
    hereMainMicroseconds: median(mainMicroseconds, 0),
    thereMainMicroseconds: median(mainMicroseconds, 1),
  };
}

import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { type ChildServer, startChild } from './child.ts';
import { load } from './load.ts';
import { quantile, quartilesOf } from './paired.ts';
import { signedPayment } from './signed-payment.ts';

/** The handler behind the checks of the servers. */
export type BenchUpstream = 'payments' | 'nothing';

/** A script of a server, and its arguments. */
export type ServerCommand = readonly [script: string, ...args: string[]];

/** One server in one round. */
export interface RoundFigures {
  readonly perSecond: number;
  /** Processor time of one request, of all threads, in microseconds. */
  readonly cpuMicroseconds: number;
  /** The same for the responding thread alone; NaN if the server does not report it. */
  readonly mainMicroseconds: number;
}

/** A median over the rounds, and the interquartile range. */
export interface Median {
  readonly median: number;
  readonly quartiles: readonly [number, number];
}

const connections = 16;
const warmUpRounds = 3;

/**
 * Loads several servers in turn, in short rounds, with the same requests, which are signed beforehand so that the load costs the
 * sender next to nothing.
 */
export async function benchInTurn(
  commands: readonly ServerCommand[],
  upstream: BenchUpstream,
  rounds: number,
  perRound: number,
): Promise<Rounds> {
  const { privateKey } = makeKeyPair();
  const signer = createSigner({ keyid: 'bench', privateKey });
  const servers = await Promise.all(
    commands.map(([script, ...args]) => startChild(script, args, { BENCH_PRIVATE_KEY: privateKey })),
  );
  try {
    return new Rounds(
      await inTurn(servers, rounds, (round) => {
        const requests = Array.from({ length: perRound }, (_, index) =>
          signedPayment(signer, '/v1/payments', round * perRound + index),
        );
        return (server) => loadOnce(server, requests, upstream);
      }),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/**
 * Measures several sides in turn, in short rounds: a noisy neighbour slows all of a round alike. Each side
 * takes each position equally often. Returns the figures of each round, in the order of the sides.
 *
 * @param prepare called before each round, for unmeasured work; returns the function that measures one side
 */
export async function inTurn<Side, Figures>(
  sides: readonly Side[],
  rounds: number,
  prepare: (round: number) => (side: Side) => Promise<Figures>,
): Promise<Figures[][]> {
  const all: Figures[][] = [];
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    const measure = prepare(round);
    const figures: Figures[] = [];
    for (let place = 0; place < sides.length; place++) {
      const index = (place + round) % sides.length;
      figures[index] = await measure(sides[index]!);
    }
    if (round >= warmUpRounds) all.push(figures);
  }
  return all;
}

async function loadOnce(
  server: ChildServer,
  requests: readonly Buffer[],
  upstream: BenchUpstream,
): Promise<RoundFigures> {
  const before = await server.usage();
  const perSecond = await load(server.port, requests, connections, upstream === 'payments' ? 201 : 204);
  const after = await server.usage();
  const each = (from = Number.NaN, to = Number.NaN): number => ((to - from) * 1000) / requests.length;
  return {
    perSecond,
    cpuMicroseconds: each(before.cpuMs, after.cpuMs),
    mainMicroseconds: each(before.mainCpuMs, after.mainCpuMs),
  };
}

/** The figures of all rounds, each with one of each server. */
export class Rounds<Figure extends string = keyof RoundFigures> {
  readonly #all: readonly (readonly Readonly<Record<Figure, number>>[])[];

  constructor(all: readonly (readonly Readonly<Record<Figure, number>>[])[]) {
    this.#all = all;
  }

  /** Returns the median of a figure of one server. */
  median(server: number, figure: Figure): number {
    return quantile(
      this.#all.map((round) => round[server]![figure]),
      0.5,
    );
  }

  /** Returns the ratio of a figure of two servers: taken in each round, because a noisy neighbour slows all of one round. */
  ratio(server: number, other: number, figure: Figure): Median {
    const ratios = this.#all.map((round) => round[server]![figure] / round[other]![figure]);
    return { median: quantile(ratios, 0.5), quartiles: quartilesOf(ratios) };
  }
}
